/** Merges an imported file with what the hub has: nothing is replaced unless that was asked for. Pure. */

import { unifiedDiff } from '../../hub/caddyfile/diff.ts';
import { plainSite } from '../../hub/caddyfile/render.ts';
import { placesOf, policiesOn } from '../../hub/model/applied.ts';
import { type Change, sequence } from '../../hub/model/changes.ts';
import {
  domainTaken,
  rivalsOf,
  type SiteSet,
  type Vhost,
  type VhostInput,
} from '../../hub/model/vhost.ts';
import {
  createChange,
  deleteChange,
  newVhost,
  updateChange,
} from '../../hub/model/vhost-changes.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import type { TokenizeOptions } from '../../shared/caddyfile/tokenizer.ts';
import { FAILURES, Failure } from '../../shared/failure.ts';
import {
  comparePreambles,
  differing,
  mergePreambles,
  type PreamblePart,
  type Side,
  sameWords,
} from './caddyfile/merge-preambles.ts';
import type { ImportedSite } from './caddyfile/split.ts';
import type { MergeView } from './schemas.ts';

/** What to do with what the hub already has. */
export type MergeOptions = {
  /** For sites whose addresses are taken by others; those in `replace` are replaced anyway. */
  taken?: 'refuse' | 'skip' | 'replace' | undefined;
  replace?: readonly string[] | undefined;
  /** Which side's options and snippets to use where they differ, of all or by their names. */
  preamble?: Side | Readonly<Record<string, Side>> | undefined;
};

/** A site of a file, and what is to become of it. */
export type SiteToMerge = ImportedSite &
  Pick<VhostInput, 'agents' | 'policies' | 'enabled' | 'tags'>;

/** What became of a site of the file, and which vhosts had its addresses before. */
export type MergedSite = {
  action: 'create' | 'keep' | 'skip' | 'replace';
  /** The vhost it became, or that stays in its place. */
  vhost: Vhost;
  /** What it would be as a vhost. */
  wanted: Vhost;
  before: readonly Vhost[];
};

/** Whether a part of the preamble is the same on both sides, or only in the file, or only here. */
type PartState = 'same' | 'differs' | 'new' | 'kept';

export type MergedPreamble = {
  text: string;
  parts: readonly (PreamblePart & { state: PartState; side: Side })[];
};

/**
 * The preamble after the import. On a hub without sites, the file's parts win.
 * @throws Failure PREAMBLE_DIFFERS if nobody said which side of a part to use
 */
export function mergedPreamble(
  file: string,
  { preamble: present, vhosts }: SiteSet,
  { preamble: sides }: MergeOptions,
  dialect: TokenizeOptions,
): MergedPreamble {
  const isUsed = vhosts.length > 0;
  const sideOf = (name: string): Side | undefined => {
    const said = typeof sides === 'object' ? sides[name] : sides;
    return said ?? (isUsed ? undefined : 'file');
  };
  const parts = comparePreambles(present, file, dialect);
  const differs = new Set(differing(parts, dialect).map(({ name }) => name));
  const undecided = [...differs].filter((name) => sideOf(name) === undefined);
  if (undecided.length > 0) {
    throw new Failure('PREAMBLE_DIFFERS', FAILURES.PREAMBLE_DIFFERS.meaning, {
      detail: `differs between hub and file: ${undecided.join(', ')}`,
      hint: 'Send "preamble": "keep" to keep those of the hub, or "file" to use those of the file.',
    });
  }
  const isTheirs = (name: string) => sideOf(name) === 'file';
  const text = isUsed
    ? mergePreambles(present, file, isTheirs, dialect)
    : mergePreambles(file, present, (name) => !isTheirs(name), dialect);
  return {
    text,
    parts: parts.map((part) => {
      const state = stateOf(part, differs);
      const isKept = state === 'kept' || (state === 'differs' && !isTheirs(part.name));
      return { ...part, state, side: isKept ? 'keep' : 'file' };
    }),
  };
}

function stateOf({ name, present, file }: PreamblePart, differs: ReadonlySet<string>): PartState {
  if (file === null) return 'kept';
  if (present === null) return 'new';
  return differs.has(name) ? 'differs' : 'same';
}

/**
 * Creates a site of the file, unless it is there already. A site that replaces others gets their policies.
 * @param here the set before the import: by now, other sites of the file may have replaced some of its sites
 * @throws Failure DOMAIN_TAKEN, and as the changes it consists of
 */
export const mergeSite =
  (
    site: SiteToMerge,
    taken: MergeOptions['taken'],
    dialect: TokenizeOptions,
    here: SiteSet,
  ): Change<MergedSite> =>
  async (set, time) => {
    const asked = newVhost(site, set, time);
    const before = rivalsOf(asked, set);
    const policies = policiesOf([...before, ...rivalsOf(asked, here)], asked, set);
    const wanted = newVhost({ ...site, ...policies }, set, time);
    const isSame = (vhost: Vhost) =>
      (vhost.enabled || !wanted.enabled) &&
      asked.policies.every((policy) => vhost.policies.includes(policy)) &&
      sameWords(plainSite(vhost).text, plainSite(wanted).text, dialect);
    const [first] = before;
    if (first === undefined) {
      const plan = createChange({ ...site, ...policies })(set, time);
      return { ...plan, result: { action: 'create', vhost: plan.result, wanted, before } };
    }
    if (before.length === 1 && isSame(first)) {
      const plan = await updateChange(first.id, { agents: bothPlaces(first, wanted, set) })(
        set,
        time,
      );
      const kept = { action: 'keep' as const, wanted, before };
      if ('done' in plan) return { done: { ...kept, vhost: first } };
      return { ...plan, result: { ...kept, vhost: plan.result } };
    }
    const target = before.find(({ domain }) => domain === wanted.domain) ?? first;
    if (taken === 'skip') return { done: { action: 'skip', vhost: target, wanted, before } };
    if (taken !== 'replace') throw domainTaken(target, CHOOSE);
    const { domain, config, upstream, enabled = true } = site;
    const plan = await sequence<unknown>([
      ...before.filter((vhost) => vhost !== target).map(({ id }) => deleteChange(id)),
      updateChange(target.id, {
        domain,
        config,
        upstream,
        enabled,
        ...policies,
        agents: bothPlaces(target, wanted, set),
      }),
    ])(set, time);
    const replaced = { action: 'replace' as const, wanted, before };
    if ('done' in plan) return { done: { ...replaced, vhost: target } };
    const vhost = plan.next.vhosts.find(({ id }) => id === target.id) ?? target;
    return { ...plan, result: { ...replaced, vhost } };
  };

/**
 * The policies by which no address loses one: all that one of the vhosts has, and left out only what all of
 * them leave out; and those that the new one names.
 */
function policiesOf(
  vhosts: readonly Vhost[],
  asked: Vhost,
  { policies }: SiteSet,
): Pick<VhostInput, 'policies' | 'except'> {
  const own = new Set(
    [...vhosts, asked].flatMap((vhost) => vhost.policies.map(({ name }) => name)),
  );
  if (vhosts.length === 0) return { policies: [...own] };
  const isLeftOut = ({ id, name }: Policy) =>
    !own.has(name) && vhosts.every(({ except }) => except.includes(id));
  return { policies: [...own], except: policies.filter(isLeftOut).map(({ name }) => name) };
}

/** The agents of a vhost, and those that an imported one is for; none: all. */
const bothPlaces = (vhost: Vhost, wanted: Vhost, { agents }: SiteSet): string[] =>
  vhost.agents.length === 0
    ? []
    : placesOf({ agents: [...vhost.agents, ...wanted.agents] }, agents);

const CHOOSE =
  'Send "taken": "skip" or "replace" for all such sites, or name the sites to replace in "replace".';

/** @param among the set of these sites */
export const mergeView = (
  preamble: MergedPreamble,
  sites: readonly MergedSite[],
  among: SiteSet,
): MergeView => ({
  sites: sites.map(({ action, wanted, before }) => ({
    domain: wanted.domain,
    action,
    vhosts: before.map(({ id, domain, enabled }) => ({ id, domain, enabled })),
    diff:
      before.length === 0 ? '' : unifiedDiff(blocksOf(before, among), blocksOf([wanted], among)),
  })),
  preamble: preamble.parts.map(({ name, present, file, state, side }) => ({
    name,
    state,
    side,
    diff: state === 'differs' ? unifiedDiff(`${present}\n`, `${file}\n`) : '',
  })),
});

const blocksOf = (vhosts: readonly Vhost[], among: SiteSet): string =>
  vhosts
    .map((vhost) => {
      const names = policiesOn(vhost, among).map(({ name }) => name);
      const said = names.length > 0 ? `# policies: ${names.join(', ')}\n` : '';
      return `${said}${plainSite(vhost).text}\n`;
    })
    .join('\n');
