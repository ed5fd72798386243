/**
 * What can be stored, changed and undone: one entry for each kind of it. A new kind is a line in `Stored`
 * (`changes.ts`) and an entry here; how it is written (`store.ts`), recorded (`history/writes.ts`) and undone
 * (`history/revert.ts`), and to whom it goes follow. Pure.
 */
import { wantsSame } from '../../shared/wire/checks.ts';
import * as tables from '../db/schema.ts';
import type { Policy } from '../recipes/policy.ts';
import { withoutSecrets } from '../recipes/secrets.ts';
import type { StoredAgent } from './agent.ts';
import { exceptOf, inputOf, isPlacedOn } from './applied.ts';
import type { Certificate } from './certificate.ts';
import {
  deleteCertificateChange,
  isSameCertificate,
  restoreCertificateChange,
} from './certificate-changes.ts';
import type { Change, Kind, Step, StepOf, Stored } from './changes.ts';
import { knownAgainChange, unknownChange } from './known-changes.ts';
import { chainFacts } from './pem.ts';
import {
  isSamePolicy,
  recreatePolicyChange,
  uncreatePolicyChange,
  updatePolicyChange,
} from './policy-changes.ts';
import { agentPreambleChange, preambleChange } from './preamble-changes.ts';
import {
  changedFields,
  FIELDS,
  type Field,
  type Kept,
  type KnownProblem,
  type SiteSet,
  type Vhost,
} from './vhost.ts';
import { deleteChange, recreateChange, toggleChange, updateChange } from './vhost-changes.ts';

/** What is kept of each kind in the changelog, as JSON text. */
export type Recorded = {
  vhost: StoredVhost;
  preamble: { config: string | null; agent?: number };
  policy: Policy;
  agent: never;
  known: KnownProblem;
  certificate: Certificate;
  program: never;
};

/** What a change may name, deleted by it or not. */
export type AgentsAndPolicies = Pick<SiteSet, 'agents' | 'policies'>;

type Entity<K extends Kind> = {
  /** How its names begin in the changelog; a vhost goes by its domain. */
  mark: string;
  nameOf(thing: Stored[K]): string;
  /** Its row, with its id and the columns that a change may write; null if it is elsewhere. */
  rowOf(thing: Stored[K], time: Date): Row | null;
  /** The fields of an update as people see them, before and after; null if none differs. */
  shown(
    before: Stored[K],
    after: Stored[K],
    known: AgentsAndPolicies,
  ): [old: object, now: object] | null;
  /** Whether the proxies get what a step changes. */
  isPublished(step: StepOf<K>): boolean;
  /** Whether an agent's proxy has to take a step. */
  concerns(step: StepOf<K>, agent: StoredAgent): boolean;
  /** The vhosts that are to be validated because of a step; `all` if every one is. */
  validated(step: StepOf<K>, most: number): readonly Vhost[] | 'all';
  /** Null if no change of it is ever undone. */
  undo: Undo<K> | null;
};

/** A row of one of the tables. */
export type Row = {
  table:
    | typeof tables.vhosts
    | typeof tables.policies
    | typeof tables.agents
    | typeof tables.preamble
    | typeof tables.knownProblems
    | typeof tables.certificates;
  values: Readonly<Record<string, unknown>> & { readonly id: number };
};

/** What an update, or a toggle, that is undone had made of it. */
type Undone<K extends Kind> = { old: Recorded[K]; made: Recorded[K]; isToggle: boolean };

type Undo<K extends Kind> = {
  keep(thing: Stored[K]): Recorded[K];
  /** What it is now, if it is still there. */
  find(set: SiteSet, kept: Recorded[K]): Stored[K] | undefined;
  /** Whether it is still as a change left it. @param old null if it was created */
  isAsMade(now: Stored[K], made: Recorded[K], old: Recorded[K] | null): boolean;
  /** The change that makes it what it was; null if what that needs is no longer there. */
  restore(set: SiteSet, now: Stored[K], undone: Undone<K>): Change<unknown> | null;
  /** The change that brings back what was deleted, if that is ever deleted; null as `restore`. */
  recreate?(set: SiteSet, old: Recorded[K]): Change<unknown> | null;
  /** The change that deletes what was created, if that is ever created. */
  remove?(made: Recorded[K]): Change<unknown>;
};

const vhost: Entity<'vhost'> = {
  mark: '',
  nameOf: ({ domain }) => domain,
  rowOf: (thing) => ({ table: tables.vhosts, values: storedOf(thing) }),

  shown(before, after, known) {
    const fields = changedFields(before, after);
    // A source that has caught up with what people changed.
    const changed: readonly Field[] = fields.length > 0 ? fields : ['source'];
    /** Policies and agents go by their names. */
    const shownOf = (one: Vhost) => {
      const shown = { ...one, ...inputOf(one, known) };
      return Object.fromEntries(changed.map((field) => [field, shown[field]]));
    };
    return [shownOf(before), shownOf(after)];
  },

  isPublished({ before, after }) {
    if (!before || !after) return true;
    // A site that is served is asked as soon as it has a check, but not when it is only asked more often.
    const isAsked =
      after.enabled &&
      after.check !== null &&
      !(before.check && wantsSame(before.check, after.check));
    return changedFields(before, after).some(
      (field) => !UNSEEN.includes(field) && (field !== 'check' || isAsked),
    );
  },

  concerns: ({ before, after }, { id }) =>
    [before, after].some((one) => one !== null && isPlacedOn(one, id)),

  /** None if it is only switched off, or gets only tags or a check. */
  validated({ before, after }) {
    if (!before || !after) return after ? [after] : [];
    const fields = changedFields(before, after);
    if (fields.every((field) => UNSEEN.includes(field) || field === 'check')) return [];
    return after.enabled || fields.some((field) => field !== 'enabled') ? [after] : [];
  },

  undo: {
    keep: (thing) => storedOf(thing),
    find: (set, { id }) => set.vhosts.find((one) => one.id === id),
    isAsMade(now, made, old) {
      const fields = old ? changedFields(old, made) : FIELDS;
      return !changedFields(now, made).some((field) => fields.includes(field));
    },
    restore(set, _, { old: { policies, except, agents, ...old }, made, isToggle }) {
      if (isToggle) return toggleChange(made.id);
      const fields = changedFields({ ...old, policies, except, agents }, made);
      const input = {
        ...old,
        ...keptOf(old),
        except: exceptOf({ except }, set),
        policies: fields.includes('policies') ? namesOf(policies, set.policies) : [],
        agents: fields.includes('agents') ? namesOf(agents, set.agents) : [],
      };
      if (!input.policies || !input.agents) return null;
      const { source, applied } = input;
      return updateChange(made.id, {
        ...Object.fromEntries(fields.map((field) => [field, input[field]])),
        ...(fields.includes('source') && { kept: { source, applied } }),
      });
    },
    recreate(set, old) {
      const revived = reviver(set.policies)(old);
      return revived && namesOf(old.agents, set.agents) && recreateChange(revived);
    },
    remove: ({ id }) => deleteChange(id),
  },
};

const preamble: Entity<'preamble'> = {
  mark: '(preamble',
  nameOf: ({ agent }) => (agent === null ? '(preamble)' : `(preamble ${agent.name})`),
  rowOf: ({ agent, config }, time) =>
    agent === null
      ? { table: tables.preamble, values: { id: 1, config, updatedAt: time } }
      : { table: tables.agents, values: { id: agent.id, preamble: config, updatedAt: time } },
  shown: (before, after) => [{ config: before.config }, { config: after.config }],
  isPublished: () => true,
  concerns({ after }, { id, preamble }) {
    const owner = after?.agent ?? null;
    return owner === null ? preamble === null : owner.id === id;
  },
  validated: () => 'all',

  undo: {
    keep: ({ agent, config }) => (agent === null ? { config } : { config, agent: agent.id }),
    find(set, { agent: id }) {
      if (id === undefined) return { agent: null, config: set.preamble };
      const agent = set.agents.find((one) => one.id === id);
      return agent && { agent, config: agent.preamble };
    },
    isAsMade: (now, made) => now.config === made.config,
    restore: (_, { agent }, { old: { config } }) =>
      agent === null ? preambleChange(config ?? '') : agentPreambleChange(agent.name, config),
  },
};

const policy: Entity<'policy'> = {
  mark: '(policy ',
  nameOf: ({ name }) => `(policy ${name})`,
  rowOf: (thing) => ({ table: tables.policies, values: thing }),

  shown(before, after) {
    if (isSamePolicy(before, after)) return null;
    const isRenamed = before.name !== after.name;
    const hasNewValues = !Bun.deepEquals(before.values, after.values);
    const isWidened = before.everywhere !== after.everywhere;
    const hasNewRecipe = before.recipe !== after.recipe;
    const isAsBefore = !(isRenamed || hasNewValues || isWidened || hasNewRecipe);
    // As for a vhost: a source that has caught up with what people changed.
    const hasNewSource = before.source !== after.source || isAsBefore;
    const shownOf = ({ name, recipe, values, everywhere, source }: Policy) => ({
      ...(isRenamed && { name }),
      ...(hasNewRecipe && { recipe }),
      ...(hasNewSource && { source }),
      ...(isWidened && { everywhere }),
      ...(hasNewValues && { values: withoutSecrets(recipe, values) }),
    });
    return [shownOf(before), shownOf(after)];
  },

  isPublished: ({ before, after, vhosts }) =>
    vhosts.length > 0 && !(before && after && isSamePolicy({ ...before, ...keptOf(after) }, after)),
  concerns: (step, { id }) => step.vhosts.some((one) => isPlacedOn(one, id)),

  validated(step, most) {
    const enabled = step.vhosts.filter((one) => one.enabled).slice(0, most);
    return [...enabled, ...step.vhosts.filter((one) => !one.enabled)];
  },

  undo: {
    keep: (thing) => thing,
    find: (set, { id }) => set.policies.find((one) => one.id === id),
    isAsMade: (now, made) => isSamePolicy({ ...now, applied: made.applied }, made),
    restore(_, { id }, { old: { name, recipe, values, everywhere, ...old }, made }) {
      // As for a vhost: the same source still wants what it last said.
      const kept = keptOf(old);
      const isHandedBack = kept.source !== keptOf(made).source;
      return updatePolicyChange(id, {
        name,
        recipe,
        values: () => values,
        everywhere,
        ...(isHandedBack && { kept }),
      });
    },
    recreate: (_, old) => recreatePolicyChange({ ...old, ...keptOf(old) }),
    remove: ({ id }) => uncreatePolicyChange(id),
  },
};

const agent: Entity<'agent'> = {
  mark: '(agent ',
  nameOf: ({ name }) => `(agent ${name})`,
  rowOf: (thing) => ({ table: tables.agents, values: thing }),
  shown(before, after) {
    const shownOf = ({ name, paused, generation }: StoredAgent) => ({ name, paused, generation });
    return [shownOf(before), shownOf(after)];
  },
  isPublished: () => false,
  concerns: () => false,
  validated: () => [],
  // One that was removed has to be invited again.
  undo: null,
};

const known: Entity<'known'> = {
  mark: '(problem ',
  nameOf: ({ words }) => `(problem ${words})`,
  // Whatever was over begins again.
  rowOf: (thing) => ({ table: tables.knownProblems, values: { ...thing, overAt: null } }),
  shown: ({ until, by }, after) => [
    { until, by },
    { until: after.until, by: after.by },
  ],
  isPublished: () => false,
  concerns: () => false,
  validated: () => [],

  undo: {
    keep: (thing) => thing,
    find: (set, { id }) => set.known.find((one) => one.id === id),
    isAsMade: (now, made) => now.until === made.until && now.by === made.by,
    restore: (_, __, { old }) => knownAgainChange(old),
    recreate: (set, old) =>
      set.known.some(({ problem }) => problem === old.problem) ? null : knownAgainChange(old),
    remove: ({ id }) => unknownChange((one) => one.id === id),
  },
};

const certificate: Entity<'certificate'> = {
  mark: '(certificate ',
  nameOf: ({ name }) => `(certificate ${name})`,
  // What was wrong with the one before says nothing of this one.
  rowOf: ({ key, spec, ...thing }) => ({
    table: tables.certificates,
    values: {
      ...thing,
      key: Buffer.from(key, 'base64'),
      spec: spec === null ? null : Buffer.from(spec, 'base64'),
      failedAt: null,
      failures: 0,
      lastError: null,
    },
  }),
  shown(before, after) {
    const shownOf = (one: Certificate) => {
      const { names, serial, notAfter } = chainFacts(one);
      return { name: one.name, names, serial, notAfter, provider: one.provider };
    };
    const [old, now] = [shownOf(before), shownOf(after)];
    const fields = Object.keys(old) as (keyof typeof old)[];
    const changed = fields.filter((field) => !Bun.deepEquals(old[field], now[field]));
    const only = (one: typeof old) =>
      Object.fromEntries(changed.map((field) => [field, one[field]]));
    return [only(old), only(now)];
  },
  isPublished: ({ before, after }) =>
    before?.chain !== after?.chain || before?.name !== after?.name,
  concerns: () => true,
  validated: () => [],

  undo: {
    keep: (thing) => thing,
    find: (set, { id }) => set.certificates.find((one) => one.id === id),
    isAsMade: (now, made) => isSameCertificate(now, made),
    restore: (_, __, { old }) => restoreCertificateChange(old),
    recreate: (_, old) => restoreCertificateChange(old),
    remove: ({ id }) => deleteCertificateChange(id, true),
  },
};

export const ENTITIES: { readonly [K in Kind]: Entity<K> } = {
  vhost,
  preamble,
  policy,
  agent,
  known,
  certificate,
};

const entityOf = <K extends Kind>({ kind }: StepOf<K>): Entity<K> => ENTITIES[kind];

const KINDS = Object.keys(ENTITIES) as readonly Kind[];

/** The kind of thing that an entry of the changelog is about, by its name there. */
export const kindOf = (name: string): Kind =>
  KINDS.find((kind) => kind !== 'vhost' && name.startsWith(ENTITIES[kind].mark)) ?? 'vhost';

/** Whether steps change nothing that a proxy could ever get: a hub that has only those has not published. */
export const areAside = (steps: readonly Step[]): boolean =>
  steps.every(({ kind }) => ASIDE.includes(kind));

export const ASIDE: readonly Kind[] = ['agent', 'known'];

/** Whether a step changes what the proxies get. */
export const isPublished = <K extends Kind>(step: StepOf<K>): boolean =>
  entityOf(step).isPublished(step);

/** Whether an agent's proxy has to take a step. */
export const concerns = <K extends Kind>(step: StepOf<K>, agent: StoredAgent): boolean =>
  entityOf(step).concerns(step, agent);

/** The agents of a set whose proxies have to take these steps. */
export const concernedBy = (steps: readonly Step[], { agents }: SiteSet): StoredAgent[] =>
  agents.filter((agent) => steps.some((step) => concerns(step, agent)));

const validated = <K extends Kind>(step: StepOf<K>, most: number): readonly Vhost[] | 'all' =>
  entityOf(step).validated(step, most);

/**
 * The vhosts that the proxy has to validate, all of them enabled: a disabled vhost's config must be
 * acceptable too.
 * @param most how many of the enabled vhosts of a policy are enough
 * @returns undefined if the preamble changes: then every vhost has to be validated
 */
export function changedVhosts(
  steps: readonly Step[],
  most = Number.POSITIVE_INFINITY,
): Vhost[] | undefined {
  const changed = new Map<number, Vhost>();
  for (const step of steps) {
    const found = validated(step, most);
    if (found === 'all') return undefined;
    if (step.kind === 'vhost' && step.before && !step.after) changed.delete(step.before.id);
    // What is validated anyway is validated as it is in the end.
    for (const one of [...found, ...step.vhosts.filter(({ id }) => changed.has(id))]) {
      changed.set(one.id, one.enabled ? one : { ...one, enabled: true });
    }
  }
  return [...changed.values()];
}

/** What the proxy does not see of a vhost. */
const UNSEEN: readonly Field[] = ['tags', 'source'];

/** What keeps a thing that the changelog has, older entries of which do not say. */
const keptOf = ({ source, applied }: Partial<Kept>): Kept => ({
  source: source ?? null,
  applied: applied ?? null,
});

/** A vhost as it is stored, in the database and in the changelog: with the ids of its policies. */
type StoredVhost = Omit<Vhost, 'policies'> & Readonly<{ policies: readonly number[] }>;

const storedOf = (one: Vhost): StoredVhost => ({
  ...one,
  policies: one.policies.map(({ id }) => id),
});

/** Gives vhosts their policies back; null for a vhost with one that is not among them. */
export function reviver(policies: readonly Policy[]): (stored: StoredVhost) => Vhost | null {
  const byId = new Map(policies.map((one) => [one.id, one]));
  return (stored) => {
    const own = stored.policies.flatMap((id) => byId.get(id) ?? []);
    return own.length < stored.policies.length
      ? null
      : { ...stored, ...keptOf(stored), policies: own };
  };
}

/** Null if one of these policies or agents was deleted since. */
function namesOf(
  ids: readonly number[],
  all: readonly Readonly<{ id: number; name: string }>[],
): string[] | null {
  const found = ids.flatMap((id) => all.find((one) => one.id === id)?.name ?? []);
  return found.length < ids.length ? null : found;
}
