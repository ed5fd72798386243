// proof: hub
/**
 * Random pairs of documents, with what people do between them, against what the contract says of `/apply`:
 * which changes there are, what is refused, that the second time nothing happens, that the export is the way
 * out, and that an undo brings everything back. With a real database, without a proxy.
 */
import { expect, test } from 'bun:test';
import type { PlannedChange } from '../../../src/features/apply/document.ts';
import { exportYaml } from '../../../src/features/apply/export.ts';
import { applyChange, type Outcome } from '../../../src/features/apply/plan.ts';
import { PLAIN_CONFIG, policiesIn, sitesIn } from '../../../src/features/apply/schemas.ts';
import { addressKey } from '../../../src/hub/caddyfile/address.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { agents } from '../../../src/hub/db/schema.ts';
import { exceptOf, placesOf, renderSet } from '../../../src/hub/model/applied.ts';
import type { Change, Outcome as Planned } from '../../../src/hub/model/changes.ts';
import { createChangelog } from '../../../src/hub/model/history/changelog.ts';
import { undoOfGroup } from '../../../src/hub/model/history/undo.ts';
import { changeOf, policyChangeOf } from '../../../src/hub/model/operation.ts';
import { deletePolicyChange } from '../../../src/hub/model/policy-changes.ts';
import { isDiffering } from '../../../src/hub/model/source.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import { type SiteSet, tagsOf } from '../../../src/hub/model/vhost.ts';
import { deleteChange } from '../../../src/hub/model/vhost-changes.ts';
import { recipeOf } from '../../../src/hub/recipes/registry.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { type ByHand, randomDocuments, type SomeDocument } from '../../harness/documents.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { seededRandom } from '../../harness/random.ts';
import { limit } from '../../harness/speed.ts';

const PAIRS = some(200, 5_000, 'PAIRS');
const SEED = Number(process.env.PAIRS_SEED ?? 20261123);
const AGENTS = ['local', 'edge'] as const;
const WHO = { userId: 'ada', userName: 'Ada', via: null };

const folder = folderForFile();
let clock = 1;
const time = () => new Date(clock++);

const database = await forFile(openDatabase(folder));
const store = createStore(database);
store.nameFirstAgent(AGENTS[0]);
const edge = { name: AGENTS[1], url: 'https://edge.example', fingerprint: 'ab', generation: 1 };
const times = { createdAt: time(), updatedAt: time() };
database.db
  .insert(agents)
  .values({ ...edge, paused: false, ...times })
  .run();
let set = store.load();

/** Plans a change and stores it, as the publisher does. @returns its plan, and the group of its entries */
async function make<T>(change: Change<T>): Promise<{ plan: Planned<T>; group: number | null }> {
  const plan = await change(set, time());
  if ('done' in plan) return { plan, group: null };
  const [group = null] = store.commit([{ author: WHO, plan }], time());
  set = plan.next;
  return { plan, group };
}

const applying = ({ source, prune, adopt, ...rest }: SomeDocument, expects?: string) => {
  const [sites, policies] = [sitesIn(rest.sites), policiesIn(rest.policies)];
  return applyChange({ source, prune, adopt, sites, policies }, set, expects);
};
const outcomeOf = (plan: Planned<Outcome>): Outcome => ('done' in plan ? plan.done : plan.result);

async function byHand(doing: ByHand): Promise<void> {
  if (doing.do === 'vhost') await make(changeOf(doing.operation));
  else if (doing.do === 'policy') await make(await policyChangeOf(doing.operation, set));
  else await make(deletePolicyChange(doing.id));
}

/** What a refusal says; anything but a refusal is a fault. */
async function refusalOf(work: () => Promise<unknown>): Promise<Failure | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

type Site = { source: string | null; isOff: boolean; fields: Record<string, unknown> };
type Policy = { source: string | null; isOff: boolean; fields: Record<string, unknown> };
type View = { sites: Map<string, Site>; policies: Map<string, Policy> };

/** A set by names; `isOff`: it is no longer what its source said. */
const viewOf = (of: SiteSet): View => ({
  sites: new Map(
    of.vhosts.map((one) => {
      const { domain, config, upstream, enabled, check } = one;
      const policies = one.policies.map(({ name }) => name);
      const [except, places] = [exceptOf(one, of), placesOf(one, of.agents)];
      const lists = { policies, except, tags: [...one.tags], agents: places };
      const fields = { domain, config, upstream, enabled, ...lists, check };
      return [addressKey(domain), { source: one.source, isOff: isDiffering(one), fields }];
    }),
  ),
  policies: new Map(
    of.policies.map((one) => {
      const { recipe, values, everywhere, source } = one;
      return [
        one.name,
        { source, isOff: isDiffering(one), fields: { recipe, values, everywhere } },
      ];
    }),
  ),
});

type Expected = { changes: string[]; view: View; refusals: Set<string> };

/** What the contract says becomes of a set; with any of `refusals`, nothing. */
function expectedOf(before: View, document: SomeDocument): Expected {
  const { source, prune, adopt } = document;
  const view: View = { sites: new Map(before.sites), policies: new Map(before.policies) };
  const refusals = new Set<string>();
  const changes: string[] = [];
  const settle = (kind: 'sites' | 'policies', name: string, said: Record<string, unknown>) => {
    const now = before[kind].get(name);
    const label = kind === 'sites' ? String(said.domain) : name;
    view[kind].set(name, { source, isOff: false, fields: said });
    if (!now) return changes.push(`create ${label}`);
    const fields = Object.keys(said).filter((one) => !Bun.deepEquals(said[one], now.fields[one]));
    if (now.source !== source && !adopt) {
      return refusals.add(kind === 'sites' ? 'DOMAIN_TAKEN' : 'POLICY_TAKEN');
    }
    if (now.source !== source) changes.push(['adopt', label, ...fields].join(' '));
    else if (fields.length > 0) changes.push(['update', label, ...fields].join(' '));
    else if (now.isOff) changes.push(`adopt ${label}`);
    return null;
  };

  for (const [name, { recipe, values = {}, everywhere = false }] of Object.entries(
    document.policies,
  )) {
    if (recipeOf(recipe)?.kind !== 'policy' || Bun.deepEquals(values, { networks: ['x'] })) {
      refusals.add('INVALID_REQUEST');
      continue;
    }
    const stored = before.policies.get(name)?.fields;
    type Users = { name: string; hash?: string }[];
    const known =
      stored?.recipe === recipe ? ((stored.values as { users?: Users }).users ?? []) : [];
    const users = (values.users as Users | undefined)?.map((user) => ({
      hash: known.find((one) => one.name === user.name)?.hash,
      ...user,
    }));
    if (users?.some(({ hash }) => hash === undefined)) refusals.add('INVALID_REQUEST');
    settle('policies', name, { recipe, values: users ? { users } : values, everywhere });
  }

  const named = new Set<string>();
  for (const [name, site] of Object.entries(document.sites)) {
    const { config = PLAIN_CONFIG, upstream = '', policies = [], except = [] } = site;
    const key = addressKey(name);
    named.add(key);
    const isBlock = config.includes(' {\n');
    const domain = isBlock ? (config.split(/,| \{/)[0] ?? '') : name.toLowerCase();
    if (config.includes('{upstream}') && upstream === '') refusals.add('INVALID_REQUEST');
    const isNew = before.sites.get(key)?.fields.config !== config;
    if (config.includes('{upsteam}') && isNew) refusals.add('INVALID_REQUEST');
    if ([...policies, ...except].some((one) => !view.policies.has(one))) {
      refusals.add('INVALID_REQUEST');
    }
    const order = (all: readonly string[], names: readonly string[]) =>
      all.filter((one) => names.includes(one));
    settle('sites', key, {
      domain,
      config,
      upstream,
      enabled: site.enabled ?? true,
      policies,
      except: order([...view.policies.keys()].toSorted(), except),
      tags: tagsOf(site.tags ?? []),
      agents: order(AGENTS, site.agents ?? []),
      check: site.check ?? null,
    });
  }
  const gone = (kind: 'sites' | 'policies', isNamed: (name: string) => boolean) => {
    if (!prune) return;
    for (const [name, { fields }] of [...before[kind]].filter(
      ([one, thing]) => thing.source === source && !isNamed(one),
    )) {
      view[kind].delete(name);
      changes.push(`delete ${kind === 'sites' ? fields.domain : name}`);
    }
  };
  gone('sites', (name) => named.has(name));
  gone('policies', (name) => name in document.policies);
  for (const [name, { fields }] of view.sites) {
    fields.except = (fields.except as string[]).filter((one) => view.policies.has(one));
    if ((fields.policies as string[]).every((one) => view.policies.has(one))) continue;
    refusals.add(named.has(name) ? 'INVALID_REQUEST' : 'POLICY_IN_USE');
    refusals.add('POLICY_IN_USE');
  }
  const owners = new Map<string, string>();
  for (const [name, { fields }] of view.sites) {
    const { domain, config } = fields as Record<string, string>;
    const list = config?.includes(' {\n') ? config.slice(0, config.indexOf(' {\n')) : domain;
    for (const one of new Set((list ?? '').split(', ').map((each) => addressKey(each)))) {
      const other = owners.get(one);
      if (other !== undefined && other !== name) refusals.add('DOMAIN_TAKEN');
      owners.set(one, name);
    }
  }
  return { changes, view, refusals };
}

const lineOf = ({ op, name, fields }: PlannedChange): string => [op, name, ...fields].join(' ');

/** What an undo has to bring back: all but when something was changed, and what its source last said. */
const undoable = ({ vhosts, policies }: SiteSet) => ({
  vhosts: vhosts.map(({ updatedAt: _, applied: __, policies: own, except, ...one }) => ({
    ...one,
    policies: own.map(({ id }) => id),
    // Of policies that are deleted, the ids may stay.
    except: except.filter((id) => policies.some((policy) => policy.id === id)),
  })),
  policies: policies.map(({ updatedAt: _, applied: __, ...one }) => one),
});

/** Things that are not what their source last said, or are, although `isOff` says otherwise. */
const unsaid = (now: View, said: View): string[] =>
  (['sites', 'policies'] as const).flatMap((kind) =>
    [...now[kind]].flatMap(([name, { source, isOff, fields }]) => {
      const wanted = said[kind].get(name);
      // A site may leave out policies that are deleted.
      if (wanted?.source !== source || source === null || wanted.isOff) return [];
      if ([fields, wanted.fields].some((one) => String(one.except ?? '') !== '')) return [];
      return isOff === Bun.deepEquals(fields, wanted.fields) ? [`${kind} ${name}`] : [];
    }),
  );

/** @returns whether something was changed, and whether it was undone */
async function prove(document: SomeDocument): Promise<'refused' | 'nothing' | 'changed'> {
  const before = set;
  const expected = expectedOf(viewOf(before), document);
  const planned: Outcome[] = [];
  const planning = await refusalOf(async () => {
    const plan = await (await applying(document))(before, time());
    planned.push(outcomeOf(plan));
  });
  const [plan] = planned;
  const made: Awaited<ReturnType<typeof make<Outcome>>>[] = [];
  const refusal = await refusalOf(async () => {
    made.push(await make(await applying(document, plan?.digest)));
  });
  expect([refusal?.code, refusal?.at.field]).toEqual([planning?.code, planning?.at.field]);
  const reasons = [...expected.refusals].toSorted();
  if (reasons.length > 0 || refusal) {
    expect(reasons).toContain(refusal?.code as string);
    expect(set).toBe(before);
    return 'refused';
  }
  const done = outcomeOf((made[0] as (typeof made)[number]).plan);
  expect([done.changes, done.digest, done.published]).toEqual([
    plan?.changes as PlannedChange[],
    plan?.digest as string,
    plan?.published as boolean,
  ]);
  const lines = done.changes.map(lineOf);
  expect(lines.toSorted()).toEqual(expected.changes.toSorted());
  expect(viewOf(set)).toEqual(expected.view);
  expect(store.load()).toEqual(set);
  const [old, now] = [before, set].map((one) => renderSet(one, '2.11.4').text);
  if (old !== now) expect(done.published).toBeTrue();
  const stayed = before.vhosts.filter(({ id }) => set.vhosts.some((one) => one.id === id));
  expect(set.vhosts.slice(0, stayed.length).map(({ id }) => id)).toEqual(
    stayed.map(({ id }) => id),
  );

  const settled = set;
  const again = await make(await applying(document));
  expect(['done' in again.plan, outcomeOf(again.plan).changes]).toEqual([true, []]);
  expect(set).toBe(settled);
  const { source } = document;
  const file = Bun.YAML.parse(exportYaml(set, source)) as Pick<SomeDocument, 'sites'> &
    Partial<SomeDocument>;
  const whole = { policies: {}, ...file, source, prune: true, adopt: false };
  const out = outcomeOf(await (await applying(whole))(set, time()));
  // What people have changed since is what the source says from then on.
  const isOff = [...set.policies, ...set.vhosts].filter(
    (one) => one.source === source && isDiffering(one),
  );
  expect([out.published, out.changes.map(lineOf).toSorted()]).toEqual([
    false,
    isOff.map((one) => `adopt ${'domain' in one ? one.domain : one.name}`).toSorted(),
  ]);
  const { group } = made[0] as (typeof made)[number];
  if (group === null) return 'nothing';

  await make(undoOfGroup(createChangelog(database.db), group).change);
  expect(undoable(set)).toEqual(undoable(before));
  expect(store.load()).toEqual(set);
  expect(unsaid(viewOf(set), expected.view)).toEqual([]);
  const { plan: redone } = await make(await applying(document));
  expect(viewOf(set)).toEqual(expected.view);
  expect('next' in redone || lines.every((line) => /^adopt \S+$/.test(line))).toBeTrue();
  return 'changed';
}

test(
  `${PAIRS} random pairs of documents do what the contract says (seed ${SEED})`,
  async () => {
    const tally = { refused: 0, nothing: 0, changed: 0 };
    for (let pair = 0; pair < PAIRS; pair++) {
      const random = seededRandom((SEED + pair) * 2_654_435_761);
      const documents = randomDocuments(random, AGENTS);
      let step = 'start';
      try {
        for (const { id } of set.vhosts) await make(deleteChange(id));
        for (const { id } of set.policies) await make(deletePolicyChange(id));
        const hands = async (most: number) => {
          for (let at = random.below(most); at > 0; at--) {
            const doing = documents.byHand({ sites: set.vhosts, policies: set.policies });
            if (doing) await refusalOf(() => byHand(doing));
          }
        };
        await hands(3);
        for (step of ['A', 'B']) {
          const document = documents.document();
          step = `${step} ${JSON.stringify(document)}`;
          tally[await prove(document)]++;
          await hands(4);
        }
      } catch (error) {
        console.log(`pair ${pair} of seed ${SEED}, in ${step}`);
        throw error;
      }
    }
    console.log(`${PAIRS} pairs, seed ${SEED}: ${JSON.stringify(tally)}`);
    expect(Math.min(tally.refused, tally.changed)).toBeGreaterThan(PAIRS / 4);
  },
  limit(120_000 + PAIRS * 20),
);
