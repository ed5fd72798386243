/** The change that undoes an entry of the changelog. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import {
  agentPreambleChange,
  type Change,
  deleteChange,
  preambleChange,
  recreateChange,
  toggleChange,
  updateChange,
} from './changes.ts';
import { AGENT, AGENT_PREAMBLE, type ChangelogRecord, POLICY, PREAMBLE } from './history.ts';
import {
  deletePolicyChange,
  isSamePolicy,
  recreatePolicyChange,
  updatePolicyChange,
} from './policy-changes.ts';
import { reviver, type StoredVhost } from './stored.ts';
import { changedFields, FIELDS, type Field, type SiteSet } from './vhost.ts';

/** What an undo needs of a stored entry. */
export type Entry = Pick<ChangelogRecord, 'action' | 'domain' | 'before' | 'after'>;

/**
 * The change that undoes an entry and nothing else. It is refused if the same fields have changed
 * since.
 * @throws Failure REVERT_CONFLICT, here or when planned; DOMAIN_TAKEN, POLICY_TAKEN or POLICY_IN_USE when planned
 */
export function revertChange(entry: Entry): Change<unknown> {
  if (entry.domain === PREAMBLE) return revertPreamble(entry);
  if (entry.domain.startsWith(AGENT_PREAMBLE)) return revertAgentPreamble(entry);
  if (entry.domain.startsWith(AGENT)) throw notUndoable();
  if (entry.domain.startsWith(POLICY)) return revertPolicy(entry);
  if (entry.action === 'delete') {
    const deleted = vhostOf(entry.before);
    return (set, time) => {
      const vhost = reviver(set.policies)(deleted);
      if (
        !vhost ||
        !areThere(deleted.agents, set) ||
        set.vhosts.some(({ id }) => id === deleted.id)
      )
        throw conflict();
      return recreateChange(vhost)(set, time);
    };
  }
  const after = vhostOf(entry.after);
  const { fields, undo } = undoOf(entry.action, entry.before, after);
  return (set, time) => {
    const now = set.vhosts.find(({ id }) => id === after.id);
    if (!now || changedFields(now, after).some((field) => fields.includes(field))) throw conflict();
    return undo(set, time);
  };
}

/** The change that undoes an entry, and the fields that must not have changed since. */
function undoOf(
  action: 'create' | 'update' | 'toggle',
  before: string | null,
  after: StoredVhost,
): { fields: readonly Field[]; undo: Change<unknown> } {
  if (action === 'create') return { fields: FIELDS, undo: deleteChange(after.id) };
  if (action === 'toggle') return { fields: ['enabled'], undo: toggleChange(after.id) };
  const { policies, agents, ...old } = vhostOf(before);
  const fields = changedFields({ ...old, policies, agents }, after);
  const undo: Change<unknown> = (set, time) => {
    const input = {
      ...old,
      policies: fields.includes('policies') ? namesOf(policies, set.policies) : [],
      agents: fields.includes('agents') ? namesOf(agents, set.agents) : [],
    };
    const changed = Object.fromEntries(fields.map((field) => [field, input[field]]));
    return updateChange(after.id, changed)(set, time);
  };
  return { fields, undo };
}

type Named = Readonly<{ id: number; name: string }>;

/** @throws Failure REVERT_CONFLICT if one of these policies or agents was deleted since */
const namesOf = (ids: readonly number[], all: readonly Named[]): string[] =>
  ids.map((id) => {
    const found = all.find((one) => one.id === id);
    if (!found) throw conflict();
    return found.name;
  });

const areThere = (ids: readonly number[], { agents }: SiteSet): boolean =>
  ids.every((id) => agents.some((agent) => agent.id === id));

function revertPreamble({ before, after }: Entry): Change<unknown> {
  if (before === null || after === null) throw tooOld();
  const [old, now] = [before, after].map((text) => (JSON.parse(text) as { config: string }).config);
  return (set, time) => {
    if (set.preamble !== now) throw conflict();
    return preambleChange(old ?? '')(set, time);
  };
}

function revertAgentPreamble({ before, after }: Entry): Change<unknown> {
  if (before === null || after === null) throw tooOld();
  type Kept = { agent: number; config: string | null };
  const [old, made] = [JSON.parse(before) as Kept, JSON.parse(after) as Kept];
  return (set, time) => {
    const agent = set.agents.find(({ id }) => id === old.agent);
    if (agent?.preamble !== made.config) throw conflict();
    return agentPreambleChange(agent.name, old.config)(set, time);
  };
}

function revertPolicy(entry: Entry): Change<unknown> {
  const [old, made] = [policyOf(entry.before), policyOf(entry.after)];
  return (set, time) => {
    const now = set.policies.find(({ id }) => id === (made ?? old)?.id);
    if (made === null) {
      if (old === null || now) throw conflict();
      return recreatePolicyChange(old)(set, time);
    }
    if (!now || !isSamePolicy(now, made)) throw conflict();
    if (old === null) return deletePolicyChange(made.id)(set, time);
    return updatePolicyChange(made.id, { name: old.name, values: () => old.values })(set, time);
  };
}

/** The vhost that `before` or `after` holds. @throws Failure REVERT_CONFLICT if there is none */
function vhostOf(text: string | null): StoredVhost {
  if (text === null) throw tooOld();
  return { policies: [], tags: [], agents: [], check: null, ...revived<OldVhost>(text) };
}

/** An entry of an older version has no such fields. */
type OldVhost = Omit<StoredVhost, 'policies' | 'tags' | 'agents' | 'check'> & Partial<StoredVhost>;

const policyOf = (text: string | null): Policy | null =>
  text === null ? null : revived<Policy>(text);

function revived<T extends { createdAt: Date; updatedAt: Date }>(text: string): T {
  const stored = JSON.parse(text) as T;
  return {
    ...stored,
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.updatedAt),
  };
}

const conflict = () =>
  new Failure('REVERT_CONFLICT', 'Later changes prevent this one from being undone.');

const notUndoable = () =>
  new Failure(
    'REVERT_CONFLICT',
    'Changes to agents cannot be undone; edit or re-invite the agent.',
  );

const tooOld = () =>
  new Failure(
    'REVERT_CONFLICT',
    'This entry was written by a version that could not undo changes.',
  );
