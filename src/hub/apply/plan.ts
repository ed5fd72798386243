/**
 * What a document makes of a set: what its source keeps is as the document says, and what the document no
 * longer names is deleted if that was asked for. What people or other sources keep stays unless it is adopted.
 */
import { createHash } from 'node:crypto';
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import { addressKey } from '../caddyfile/address.ts';
import { exceptNamed } from '../model/applied.ts';
import { type Change, together, vhostStep } from '../model/changes.ts';
import { isPublished } from '../model/entities.ts';
import { assertSpelled, policyRecipe } from '../model/operation.ts';
import {
  createPolicyChange,
  uncreatePolicyChange,
  updatePolicyChange,
} from '../model/policy-changes.ts';
import { withoutLoops } from '../model/sign-in-loop.ts';
import { isDiffering, keptBy } from '../model/source.ts';
import { assertFree, changedFields, isNamed, type SiteSet, type Vhost } from '../model/vhost.ts';
import { newVhost } from '../model/vhost-changes.ts';
import type { Policy } from '../recipes/policy.ts';
import type { Values } from '../recipes/recipe.ts';
import { hashSecrets, keepSecrets, passwordsIn, withoutSecrets } from '../recipes/secrets.ts';
import { checkValues } from '../recipes/values.ts';
import {
  type AppliedPolicy,
  type AppliedSite,
  fieldOf,
  type Named,
  PLAIN_CONFIG,
} from './schemas.ts';

export type Document = {
  source: string;
  sites: Named<AppliedSite>;
  policies: Named<AppliedPolicy>;
  /** Whether what the source kept and the document no longer names is deleted. */
  prune: boolean;
  /** Whether it takes over what people or other sources keep. */
  adopt: boolean;
};

/** What becomes of one thing; `fields` are those that an update or an adoption changes. */
export type Applied = {
  op: 'create' | 'update' | 'delete' | 'adopt';
  kind: 'site' | 'policy';
  name: string;
  fields: string[];
};

export type Outcome = {
  changes: Applied[];
  /** Whether the proxies get any of it. */
  published: boolean;
  /** Of what it was planned for, and of the changes. */
  digest: string;
  before: SiteSet;
  after: SiteSet;
};

type Note = (change: Applied) => void;

/**
 * @param current a set with the policies whose passwords may be the same
 * @param expects the digest that the plan must have
 * @throws Failure INVALID_REQUEST, here; when planned STALE, DOMAIN_TAKEN, POLICY_TAKEN, POLICY_IN_USE and as
 * creating and changing do; each with the field
 */
export async function applyChange(
  document: Document,
  current: SiteSet,
  expects?: string,
): Promise<Change<Outcome>> {
  const prepared = await prepare(document.policies, current);
  return withoutLoops(async (before, time) => {
    const changes: Applied[] = [];
    const note: Note = (change) => void changes.push(change);
    const plan = await together([
      ...prepared.map((policy) => policyChange(policy, document, note)),
      sitesChange(document, note),
      ...(document.prune ? [prunedPolicies(document, note)] : []),
    ])(before, time);
    const digest = digestOf(before, document, changes);
    if (expects !== undefined && expects !== digest) throw stale();
    if ('done' in plan)
      return { done: { changes, published: false, digest, before, after: before } };
    const { next: after, steps } = plan;
    const result = { changes, published: steps.some(isPublished), digest, before, after };
    return { next: after, steps, result };
  }, fieldIn(document));
}

/** What the document calls a field of a site or a policy that it changes. */
const fieldIn =
  ({ sites }: Document) =>
  (thing: Vhost | Policy, field: string): string => {
    if (!('domain' in thing)) {
      return fieldOf('policies', thing.name, ...(field === 'address' ? ['values'] : []), field);
    }
    const [name = thing.domain] = sites.find(([one]) => isNamed(one, thing)) ?? [];
    return fieldOf('sites', name, field);
  };

type Prepared = { name: string; recipe: string; values: Values; everywhere: boolean };

/** As many as a single policy may have: each takes a second, in which other passwords wait. */
const MAX_PASSWORDS = 50;
/** More would take minutes to plan, as each is compared with all others. */
const MAX_POLICIES = 1_000;

/** Checks all of them, and then hashes their passwords, unless they are the stored ones. */
async function prepare(
  given: Document['policies'],
  { policies }: SiteSet,
): Promise<readonly Prepared[]> {
  if (given.length > MAX_POLICIES) throw tooMany(`${MAX_POLICIES} policies`);
  const checked: Prepared[] = [];
  for (const [name, { recipe, values = {}, everywhere = false }] of given) {
    await locating(fieldOf('policies', name), async () => {
      const known = policyRecipe(recipe);
      const valid = await locating('values', () => checkValues(known, values));
      checked.push({ name, recipe, values: valid, everywhere });
    });
  }
  const passwords = checked.map(({ recipe, values }) => passwordsIn(recipe, values));
  if (passwords.reduce((sum, count) => sum + count, 0) > MAX_PASSWORDS) {
    throw tooMany(
      `${MAX_PASSWORDS} passwords in clear`,
      'Give the `hash` of the others, as `caddy hash-password` prints it.',
    );
  }
  return Promise.all(
    checked.map(async ({ name, recipe, values, everywhere }) => {
      const stored = policies.find((one) => one.name === name && one.recipe === recipe);
      return {
        name,
        recipe,
        everywhere,
        values: await hashSecrets(recipe, values, stored?.values),
      };
    }),
  );
}

const tooMany = (most: string, hint?: string) =>
  new Failure('INVALID_REQUEST', `A document has at most ${most}.`, {
    hint,
    at: { field: 'policies' },
  });

/** Creates or changes a policy, or takes it over. */
const policyChange =
  ({ values: given, ...prepared }: Prepared, document: Document, note: Note): Change<unknown> =>
  (set, time) =>
    locating(fieldOf('policies', prepared.name), async () => {
      const { name, recipe } = prepared;
      const before = set.policies.find((one) => one.name === name);
      const stored = before?.recipe === recipe ? before.values : null;
      const values = await locating('values', () => keepSecrets(recipe, given, stored));
      const said = { ...prepared, values };
      const keptAs = (policy: Policy) => {
        const { source, applied } = keptBy(policy, document.source);
        return { source, applied };
      };
      if (!before) {
        note({ op: 'create', kind: 'policy', name, fields: [] });
        return createPolicyChange({ ...said, ...keptAs({ ...UNSTORED, ...said }) })(set, time);
      }
      const fields = POLICY_FIELDS.filter((field) => !Bun.deepEquals(before[field], said[field]));
      const op = opOf(before, fields, document);
      if (op === null) return { done: before };
      note({ op, kind: 'policy', name, fields });
      const input =
        fields.length > 0
          ? { ...said, values: () => values, kept: keptAs({ ...before, ...said }) }
          : { kept: keptAs(before) };
      return updatePolicyChange(before.id, input)(set, time);
    });

const POLICY_FIELDS = ['recipe', 'values', 'everywhere'] as const;
const UNSTORED = {
  id: 0,
  source: null,
  applied: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/** Deletes the policies that the document no longer names. @throws Failure POLICY_IN_USE */
const prunedPolicies =
  ({ source, policies }: Document, note: Note): Change<unknown> =>
  (set, time) => {
    const named = new Set(policies.map(([name]) => name));
    const gone = set.policies.filter((one) => one.source === source && !named.has(one.name));
    for (const { name } of gone) note({ op: 'delete', kind: 'policy', name, fields: [] });
    return together(gone.map(({ id }) => uncreatePolicyChange(id)))(set, time);
  };

/** Creates, changes, takes over and deletes sites all at once, so that they may swap their addresses. */
const sitesChange =
  (document: Document, note: Note): Change<unknown> =>
  async (set, time) => {
    const pause = createPauses();
    const present = new Map(set.vhosts.map((vhost) => [addressKey(vhost.domain), vhost]));
    const named = new Map<string, string>();
    /** By what they were; what is new is in `added`. */
    const after = new Map<Vhost, Vhost>();
    const added: Vhost[] = [];
    const last = set.vhosts.at(-1)?.position ?? 0;
    for (const [name, site] of document.sites) {
      await pause();
      await locating(fieldOf('sites', name), () => {
        const wanted = newVhost({ config: PLAIN_CONFIG, ...site, domain: name }, set, time);
        const key = addressKey(wanted.domain);
        const before = present.get(key);
        const other = named.get(key);
        if (other !== undefined) throw twice(other);
        named.set(key, name);
        if (before) {
          const except = exceptNamed(site.except ?? [], set, before.except);
          after.set(before, settled(before, { ...wanted, except }, document, note));
          return;
        }
        assertSpelled(wanted.config);
        note({ op: 'create', kind: 'site', name: wanted.domain, fields: [] });
        const place = { id: set.nextId + added.length, position: last + 1 + added.length };
        added.push(keptBy({ ...wanted, ...place }, document.source));
      });
    }
    const isGone = (vhost: Vhost) =>
      document.prune && vhost.source === document.source && !after.has(vhost);
    const gone = set.vhosts.filter(isGone);
    for (const { domain } of gone) note({ op: 'delete', kind: 'site', name: domain, fields: [] });
    const changed = [...after].filter(([before, now]) => before !== now);
    if (gone.length + changed.length + added.length === 0) return { done: null };
    const stay = set.vhosts.flatMap((vhost) => (isGone(vhost) ? [] : (after.get(vhost) ?? vhost)));
    const next = { ...set, nextId: set.nextId + added.length, vhosts: [...stay, ...added] };
    for (const vhost of [...changed.map(([, now]) => now), ...added]) {
      await pause();
      const name = named.get(addressKey(vhost.domain)) ?? vhost.domain;
      await locating(fieldOf('sites', name), () => assertFree(vhost, next));
    }
    const steps = [
      ...gone.map((vhost) => vhostStep(vhost, null)),
      ...changed.map(([before, now]) => vhostStep(before, now)),
      ...added.map((vhost) => vhostStep(null, vhost)),
    ];
    return { next, steps, result: null };
  };

/** A site that is there as the document wants it; itself if nothing changes. @throws as `opOf` */
function settled(before: Vhost, wanted: Vhost, document: Document, note: Note): Vhost {
  const fields = changedFields(before, wanted).filter((field) => field !== 'source');
  const op = opOf(before, fields, document);
  if (op === null) return before;
  if (fields.includes('config')) assertSpelled(wanted.config);
  note({ op, kind: 'site', name: wanted.domain, fields });
  const { id, position, createdAt } = before;
  const { updatedAt } = wanted;
  const now = fields.length > 0 ? { ...wanted, id, position, createdAt } : { ...before, updatedAt };
  return keptBy(now, document.source);
}

/**
 * What the document does to something that is there; null: nothing. An `adopt` without fields only notes whose
 * it is, also when people have changed it to what the document says.
 * @throws Failure DOMAIN_TAKEN or POLICY_TAKEN if it belongs to somebody else
 */
function opOf(
  before: Vhost | Policy,
  fields: readonly string[],
  { source, adopt }: Document,
): 'update' | 'adopt' | null {
  if (before.source !== source) {
    if (!adopt) throw taken(before);
    return 'adopt';
  }
  if (fields.length > 0) return 'update';
  return isDiffering(before) ? 'adopt' : null;
}

/** Everything that a plan depends on. */
const fingerprintOf = memoize(({ preamble, vhosts, policies, agents }: SiteSet): string => {
  const ids = (vhost: Vhost) => ({ ...vhost, policies: vhost.policies.map(({ id }) => id) });
  return sha256([preamble, vhosts.map(ids), policies, agents]);
});

function digestOf(set: SiteSet, document: Document, changes: readonly Applied[]): string {
  // A digest of passwords would let somebody guess them.
  const policies = document.policies.map(([name, { recipe, values = {}, ...rest }]) => [
    ...[name, recipe, withoutSecrets(recipe, values), rest],
  ]);
  return sha256([fingerprintOf(set), { ...document, policies }, changes]);
}

const sha256 = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Adds where in the document it is to the failure of a part of it. */
async function locating<T>(place: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { field } = error.at;
    const isNamed = field !== undefined && field !== place;
    throw error.about({ ...error.at, field: isNamed ? `${place}.${field}` : place });
  }
}

const stale = () =>
  new Failure('STALE', 'Something has changed since the plan was made; nothing was applied.', {
    hint: 'Make a new plan.',
  });

const twice = (other: string) =>
  new Failure('INVALID_REQUEST', `The document has this site twice: it is ${other}, too.`);

function taken(thing: Vhost | Policy): Failure {
  const isSite = 'domain' in thing;
  const name = isSite ? `site ${thing.domain}` : `policy ${thing.name}`;
  const by = thing.source === null ? 'by hand' : `by ${thing.source}`;
  return new Failure(
    isSite ? 'DOMAIN_TAKEN' : 'POLICY_TAKEN',
    `There is a ${name} already, which is kept ${by}.`,
    { hint: 'Use `adopt` to take it over.' },
  );
}
