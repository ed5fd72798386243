/** What the changelog keeps of a step. Pure. */
import type { Policy } from '../recipes/policy.ts';
import { withoutSecrets } from '../recipes/secrets.ts';
import type { StoredAgent } from './agent.ts';
import type { AgentStep, PolicyStep, PreambleStep, Step } from './changes.ts';
import { placesOf } from './placement.ts';
import { isSamePolicy } from './policy-changes.ts';
import { storedOf } from './stored.ts';
import { changedFields, type Vhost } from './vhost.ts';

/** The name of the common preamble in the changelog. */
export const PREAMBLE = '(preamble)';

/** How the names of the agents' own preambles begin there. */
export const AGENT_PREAMBLE = '(preamble ';

/** How the name of every agent begins there. */
export const AGENT = '(agent ';

/** How the name of every policy begins in the changelog. */
export const POLICY = '(policy ';

/** A changelog entry without author and time; `before` and `after` are never shown. */
export type ChangelogRecord = {
  action: 'create' | 'update' | 'delete' | 'toggle';
  domain: string;
  /** JSON text `{"old":{…},"new":{…}}` of the fields that changed; only for an update. */
  diff: string | null;
  /** The whole vhost, preamble or policy, as JSON text; null if there was or is none. */
  before: string | null;
  after: string | null;
};

/** @param agents those that a placement may name */
export function recordOf(step: Step, agents: readonly StoredAgent[]): ChangelogRecord {
  if (step.kind === 'policy') return policyRecord(step);
  if (step.kind === 'preamble') return preambleRecord(step);
  if (step.kind === 'agent') return agentRecord(step);
  const before = step.kind === 'create' ? null : step.before;
  const after = step.kind === 'delete' ? null : step.after;
  return {
    action: step.kind,
    domain: step.kind === 'delete' ? step.before.domain : step.after.domain,
    diff: step.kind === 'update' ? vhostDiff(step.before, step.after, agents) : null,
    ...kept(before && storedOf(before), after && storedOf(after)),
  };
}

function preambleRecord({ agent, before, after }: PreambleStep): ChangelogRecord {
  const [old, now] = [{ config: before }, { config: after }];
  return {
    action: 'update',
    domain: agent === null ? PREAMBLE : `${AGENT_PREAMBLE}${agent.name})`,
    diff: diffOf(old, now),
    ...(agent === null
      ? kept(old, now)
      : kept({ ...old, agent: agent.id }, { ...now, agent: agent.id })),
  };
}

/** Undoing one is not offered: an agent that was removed has to be invited again. */
function agentRecord({ before, after }: AgentStep): ChangelogRecord {
  const isUpdate = before && after;
  const shown = ({ name, paused, generation }: StoredAgent) => ({ name, paused, generation });
  return {
    action: before === null ? 'create' : after === null ? 'delete' : 'update',
    domain: `${AGENT}${(after ?? before)?.name})`,
    diff: isUpdate ? diffOf(shown(before), shown(after)) : null,
    ...kept(null, null),
  };
}

function policyRecord({ before, after }: PolicyStep): ChangelogRecord {
  const isUpdate = before && after && !isSamePolicy(before, after);
  return {
    action: before === null ? 'create' : after === null ? 'delete' : 'update',
    domain: `${POLICY}${(after ?? before)?.name})`,
    diff: isUpdate ? policyDiff(before, after) : null,
    ...kept(before, after),
  };
}

const kept = (before: object | null, after: object | null) => ({
  before: before && JSON.stringify(before),
  after: after && JSON.stringify(after),
});

const diffOf = (old: object, now: object): string => JSON.stringify({ old, new: now });

function vhostDiff(before: Vhost, after: Vhost, agents: readonly StoredAgent[]): string {
  const changed = changedFields(before, after);
  /** Fields as people see them: policies and agents go by their names. */
  const shownOf = (vhost: Vhost) => {
    const shown = {
      ...vhost,
      policies: vhost.policies.map(({ name }) => name),
      agents: placesOf(vhost, agents),
    };
    return Object.fromEntries(changed.map((field) => [field, shown[field]]));
  };
  return diffOf(shownOf(before), shownOf(after));
}

function policyDiff(before: Policy, after: Policy): string {
  const isRenamed = before.name !== after.name;
  const hasNewValues = !Bun.deepEquals(before.values, after.values);
  const shown = ({ name, recipe, values }: Policy) => ({
    ...(isRenamed && { name }),
    ...(hasNewValues && { values: withoutSecrets(recipe, values) }),
  });
  return diffOf(shown(before), shown(after));
}
