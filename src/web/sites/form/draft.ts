/** What the site form holds, the part of it that is sent, and what to say then. Pure. */
import { tidied } from '../../lib/check.ts';
import type { Flash } from '../../lib/router.ts';
import type { ChangedVhost, Vhost } from '../../lib/types.ts';
import { closedBlock, type Frame, openedBlock } from './block.ts';

/** In the order in which conflicts are listed. */
const FIELDS = [
  'domain',
  'names',
  'upstream',
  'policies',
  'except',
  'tags',
  'agents',
  'check',
  'config',
  'enabled',
] as const;
export type DraftField = (typeof FIELDS)[number];

/** As the hub has it. */
type Sent = Pick<Vhost, Exclude<DraftField, 'names'>>;

/** The config is the body of the block if the site is stored as one that the form can open. */
export type Draft = Sent & {
  /** Those after the domain. */
  names: readonly string[];
  /** Null if it is stored without a block. */
  frame: Frame | null;
};

/** What decides which addresses are served, and from where. */
export type Proxied = Pick<Vhost, 'domain' | 'upstream' | 'config'>;

/** A new site's initial values. */
export const EMPTY: Draft = {
  domain: '',
  names: [],
  frame: null,
  upstream: '',
  policies: [],
  except: [],
  tags: [],
  agents: [],
  check: null,
  config: 'reverse_proxy {upstream}',
  enabled: true,
};

/** The editable fields of a site. */
export const draftOf = (site: Vhost): Draft => {
  const { domain, upstream, policies, except, tags, agents, enabled } = site;
  const check = site.check && tidied(site.check);
  const { names, config, frame } = openedBlock(site) ?? { ...site, names: [], frame: null };
  return { domain, names, frame, upstream, policies, except, tags, agents, check, config, enabled };
};

/** A new site like this one. */
export const copyOf = (site: Vhost): Draft => ({
  ...draftOf(site),
  domain: '',
  names: [],
  frame: null,
});

/** What the hub is sent. */
export function sentOf(draft: Draft): Sent {
  const { names: _, frame: __, ...sent } = draft;
  return { ...sent, config: closedBlock(draft) };
}

/** The fields in which two states of a site differ. */
export const changedFields = (a: Draft, b: Draft): DraftField[] =>
  FIELDS.filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));

/** Only what differs from `base`, so that others' changes to the rest survive. */
export function changesFrom(base: Draft, draft: Draft): Partial<Sent> {
  const [before, sent] = [sentOf(base), sentOf(draft)];
  const fields = FIELDS.filter((field) => field !== 'names');
  return Object.fromEntries(
    fields
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(sent[field]))
      .map((field) => [field, sent[field]]),
  );
}

/** What someone else has stored meanwhile, with what the draft changes of `base`. */
export const mergedDraft = (base: Draft, draft: Draft, theirs: Draft): Draft => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, draft).map((field) => [field, draft[field]])),
});

/** Whether the form is complete enough for a preview. */
export const isComplete = ({ domain, config, upstream }: Proxied): boolean =>
  domain.trim() !== '' &&
  config.trim() !== '' &&
  (upstream.trim() !== '' || !config.includes('{upstream}'));

/** The change of the form, for a preview. @param base the stored site; null for a new one */
export const operationOf = (id: number | null, base: Draft | null, draft: Draft): object =>
  id === null
    ? { op: 'create', ...sentOf(draft) }
    : { op: 'update', id, ...(base ? changesFrom(base, draft) : sentOf(draft)) };

/** Whether visitors reach it, as far as its answer says: a port may not be open. */
export const isLive = ({
  enabled,
  warnings = [],
}: Pick<Vhost, 'enabled'> & Partial<Pick<ChangedVhost, 'warnings'>>): boolean =>
  enabled && !warnings.some(({ code }) => code === 'NOT_SERVED');

/**
 * `a.example is live. 127.0.0.1:80 does not answer: connection refused.`
 * @param done what has been done, without its full stop
 */
export function outcomeOf(
  done: string,
  { warnings, behind = [] }: Pick<ChangedVhost, 'warnings' | 'behind'>,
): Flash {
  if (warnings.length + behind.length === 0) return { kind: 'success', text: `${done}.` };
  const late = behind.length === 0 ? '' : `, but not on ${behind.join(', ')} yet`;
  const sentences = warnings.flatMap(({ message, cure }) => [
    message,
    ...(cure ? [cure.words] : []),
  ]);
  return { kind: 'warning', text: [done + late, ...sentences].map(withFullStop).join(' ') };
}

const withFullStop = (text: string): string => text.replace(/\.?$/, '.');
