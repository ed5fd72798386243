/** What the site form holds, and the part of it that is sent. Pure. */
import { tidied } from '../checks/words.ts';
import type { Vhost } from '../lib/types.ts';

/** In the order in which conflicts are listed. */
const FIELDS = [
  'domain',
  'upstream',
  'policies',
  'tags',
  'agents',
  'check',
  'config',
  'enabled',
] as const;
export type DraftField = (typeof FIELDS)[number];

export type Draft = Pick<Vhost, DraftField>;

/** What decides which addresses are served, and from where. */
export type Proxied = Pick<Draft, 'domain' | 'upstream' | 'config'>;

/** A new site's initial values. */
export const EMPTY: Draft = {
  domain: '',
  upstream: '',
  policies: [],
  tags: [],
  agents: [],
  check: null,
  config: 'reverse_proxy {upstream}',
  enabled: true,
};

/** The editable fields of a site. */
export const draftOf = (site: Vhost): Draft => {
  const { domain, upstream, policies, tags, agents, config, enabled } = site;
  const check = site.check && tidied(site.check);
  return { domain, upstream, policies, tags, agents, check, config, enabled };
};

/** The fields in which two states of a site differ. */
export const changedFields = (a: Draft, b: Draft): DraftField[] =>
  FIELDS.filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));

/** Only the fields that differ from `base`, so that others' changes to the rest survive. */
export const changesFrom = (base: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(changedFields(base, draft).map((field) => [field, draft[field]]));

/** Whether the form is complete enough for a preview. */
export const isComplete = ({ domain, config, upstream }: Proxied): boolean =>
  domain.trim() !== '' &&
  config.trim() !== '' &&
  (upstream.trim() !== '' || !config.includes('{upstream}'));
