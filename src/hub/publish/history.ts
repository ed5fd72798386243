/** What the changelog keeps of a step. Pure. */
import type { Policy } from '../recipes/policy.ts';
import { withoutSecrets } from '../recipes/secrets.ts';
import type { PolicyStep, Step } from './changes.ts';
import { isSamePolicy } from './policy-changes.ts';
import { storedOf } from './stored.ts';
import { changedFields, type Field, type Vhost } from './vhost.ts';

/** The preamble's name in the changelog. */
export const PREAMBLE = '(preamble)';

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

export function recordOf(step: Step): ChangelogRecord {
  if (step.kind === 'policy') return policyRecord(step);
  if (step.kind === 'preamble') {
    const [before, after] = [{ config: step.before }, { config: step.after }];
    return {
      action: 'update',
      domain: PREAMBLE,
      diff: diffOf(before, after),
      ...kept(before, after),
    };
  }
  const before = step.kind === 'create' ? null : step.before;
  const after = step.kind === 'delete' ? null : step.after;
  return {
    action: step.kind,
    domain: step.kind === 'delete' ? step.before.domain : step.after.domain,
    diff: step.kind === 'update' ? vhostDiff(step.before, step.after) : null,
    ...kept(before && storedOf(before), after && storedOf(after)),
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

function vhostDiff(before: Vhost, after: Vhost): string {
  const changed = changedFields(before, after);
  return diffOf(shownOf(before, changed), shownOf(after, changed));
}

/** Fields as people see them: policies go by their names. */
const shownOf = (vhost: Vhost, fields: readonly Field[]) =>
  Object.fromEntries(
    fields.map((field) => [
      field,
      field === 'policies' ? vhost.policies.map(({ name }) => name) : vhost[field],
    ]),
  );

function policyDiff(before: Policy, after: Policy): string {
  const isRenamed = before.name !== after.name;
  const hasNewValues = !Bun.deepEquals(before.values, after.values);
  const shown = ({ name, recipe, values }: Policy) => ({
    ...(isRenamed && { name }),
    ...(hasNewValues && { values: withoutSecrets(recipe, values) }),
  });
  return diffOf(shown(before), shown(after));
}
