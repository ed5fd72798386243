/** What a request did, in one line for people: `Blocked 203.0.113.9 on 26 sites`. Pure. */
import type { Policy } from '../../recipes/policy.ts';
import type { Kind, Step, StepOf } from '../changes.ts';
import { ENTITIES, kindOf } from '../entities.ts';
import type { ChangelogRecord } from './writes.ts';

type SiteStep = StepOf<'vhost'>;
type PolicyStep = StepOf<'policy'>;

/**
 * The line for all steps of one request; null for a single step whose entry says everything.
 * @param isUndo whether it takes an earlier one back
 */
export function summaryOf(steps: readonly Step[], isUndo = false): string | null {
  const [step] = steps;
  const words = wordsOf(steps);
  // That of a problem says it by itself.
  if (!isUndo || !step || step.kind === 'known') return words;
  return `Undo: ${words ?? ofOne(step)}`;
}

function ofOne<K extends Kind>({ kind, before, after }: StepOf<K>): string {
  const thing = after ?? before;
  const word = !before ? WORDS.create : after ? WORDS.update : WORDS.delete;
  return `${word} ${thing ? shownName(ENTITIES[kind].nameOf(thing)) : ''}`.trimEnd();
}

function wordsOf(steps: readonly Step[]): string | null {
  const policies = steps.filter((step) => step.kind === 'policy');
  const sites = steps.filter((step) => step.kind === 'vhost');
  const blocked = policies.length + sites.length === steps.length && blocking(policies, sites);
  if (blocked) return blocked;
  if (steps.length === 1) return null;
  const [known] = steps;
  if (known?.kind === 'known') {
    const thing = known.after ?? known.before;
    return thing && knownLine(ENTITIES.known.nameOf(thing), known.after === null);
  }
  const others = steps.filter(({ kind }) => kind !== 'policy' && kind !== 'vhost');
  const parts = [
    ...byAction(policies, 'policies'),
    ...(placing(sites) ?? byAction(sites, 'sites')),
    ...byAction(others, 'settings'),
  ];
  const [last = ''] = parts.splice(-1);
  const line = parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** The same of an entry, where that is enough. @param entries how many there are of its request */
export function lineOf(
  {
    action,
    domain,
    enabled,
  }: Pick<ChangelogRecord, 'action' | 'domain'> & { enabled: boolean | null },
  entries: number,
): string {
  if (kindOf(domain) === 'known') return knownLine(domain, action === 'delete');
  const word = enabled === null ? WORDS[action] : `Turned ${enabled ? 'on' : 'off'}`;
  return `${word} ${shownName(domain)}${entries > 1 ? ` and ${entries - 1} more` : ''}`;
}

const WORDS = {
  create: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  toggle: 'Turned on or off',
};

/** In the words of the problem. */
const knownLine = (name: string, isGone: boolean): string =>
  `${isGone ? 'No longer known' : 'Known'}: ${name.slice(ENTITIES.known.mark.length, -1)}`;

/** `a.example`, `the policy lan-only` or `the preamble`. */
const shownName = (name: string): string =>
  kindOf(name) === 'vhost' ? name : `the ${name.slice(1, -1)}`;

const counted = (count: number): string => (count === 1 ? '1 site' : `${count} sites`);

/** A policy that blocks got addresses, or sites did nothing but get it. */
function blocking(policies: readonly PolicyStep[], sites: readonly SiteStep[]): string | null {
  const [step] = policies;
  const policy = step?.after;
  if (!policy || policies.length > 1 || policy.recipe !== 'block') return null;
  if (!sites.every((site) => gains(site, policy.id))) return null;
  const known = step.before ? networksOf(step.before) : [];
  const added = networksOf(policy).filter((network) => !known.includes(network));
  const on = new Set(
    [...step.vhosts, ...sites.flatMap(({ vhosts }) => vhosts)].map(({ id }) => id),
  );
  if (added.length === 0 || on.size === 0) return null;
  return `Blocked ${added.length > 3 ? `${added.length} networks` : added.join(', ')} on ${counted(on.size)}`;
}

/** Whether a site was only put under a policy, or no longer leaves it out. */
const gains = (site: SiteStep, policy: number): boolean =>
  policyGained(site) === policy || exceptionsLost(site).join() === `${policy}`;

/** The ids of the policies that a site leaves out no longer; none if it got or lost one by its name. */
const exceptionsLost = ({ before, after }: SiteStep): number[] =>
  before && after && before.policies.length === after.policies.length
    ? before.except.filter((id) => !after.except.includes(id))
    : [];

const networksOf = ({ values: { networks } }: Policy): string[] =>
  Array.isArray(networks) ? networks.map(String) : [];

/** `put the policy lan-only on 26 sites`, if that is all that happened to them. */
function placing(sites: readonly SiteStep[]): string[] | null {
  const [first] = sites;
  if (!first) return null;
  const gained = policyGained(first);
  if (gained !== null && sites.every((site) => policyGained(site) === gained)) {
    return [`put the policy ${nameOf(first.after, gained)} on ${counted(sites.length)}`];
  }
  const lost = policyGained(turned(first));
  if (lost !== null && sites.every((site) => policyGained(turned(site)) === lost)) {
    return [`took the policy ${nameOf(first.before, lost)} off ${counted(sites.length)}`];
  }
  return null;
}

const turned = (step: SiteStep): SiteStep => ({ ...step, before: step.after, after: step.before });

const nameOf = (site: SiteStep['after'], policy: number): string =>
  site?.policies.find(({ id }) => id === policy)?.name ?? '';

/** The id of the only policy that a site got; null if something else was changed of its policies. */
function policyGained({ before, after }: SiteStep): number | null {
  if (!before || !after || after.policies.length !== before.policies.length + 1) return null;
  const had = new Set(before.policies.map(({ id }) => id));
  const gained = after.policies.filter(({ id }) => !had.has(id));
  return gained.length === 1 ? (gained[0]?.id ?? null) : null;
}

/** `created 3 sites`, or with its name if it is only one thing. */
function byAction(steps: readonly Step[], several: string): string[] {
  return [...Map.groupBy(steps, actionOf)].map(([action, some]) => {
    const names = new Set(some.map((step) => nameIn(step)));
    return `${action} ${names.size === 1 ? [...names].join() : `${names.size} ${several}`}`;
  });
}

function actionOf({ before, after }: Step): string {
  if (!before) return 'created';
  return after ? 'changed' : 'deleted';
}

function nameIn<K extends Kind>({ kind, before, after }: StepOf<K>): string {
  const thing = after ?? before;
  if (thing === null) return '';
  return shownName(ENTITIES[kind].nameOf(thing));
}
