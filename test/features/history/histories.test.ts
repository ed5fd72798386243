// proof: hub
/**
 * Random histories of changes of every kind, with a real database and without a proxy: each of their moments is known
 * exactly, can be brought back, and the way back can be undone.
 */
import { expect, test } from 'bun:test';
import { lastEntryAt, netsAfter, setBefore } from '../../../src/features/history/moment.ts';
import { type Restored, restoreChange } from '../../../src/features/history/restore.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import {
  createAgentChange,
  deleteAgentChange,
  updateAgentChange,
} from '../../../src/hub/model/agent-changes.ts';
import { renderSet } from '../../../src/hub/model/applied.ts';
import {
  createCertificateChange,
  deleteCertificateChange,
  updateCertificateChange,
} from '../../../src/hub/model/certificate-changes.ts';
import { type Change, together } from '../../../src/hub/model/changes.ts';
import { createChangelog } from '../../../src/hub/model/history/changelog.ts';
import { undoOfGroup } from '../../../src/hub/model/history/undo.ts';
import {
  createPolicyChange,
  deletePolicyChange,
  updatePolicyChange,
} from '../../../src/hub/model/policy-changes.ts';
import { agentPreambleChange, preambleChange } from '../../../src/hub/model/preamble-changes.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import type { SiteSet } from '../../../src/hub/model/vhost.ts';
import {
  createChange,
  deleteChange,
  toggleChange,
  updateChange,
} from '../../../src/hub/model/vhost-changes.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { seededRandom } from '../../harness/random.ts';
import { limit } from '../../harness/speed.ts';

const HISTORIES = some(20, 1_000, 'HISTORIES');
const CHANGES = 50;
const SEED = Number(process.env.HISTORIES_SEED ?? 20261128);
const ADA = { userId: 'ada', userName: 'Ada', via: null };

const database = await forFile(openDatabase(folderForFile()));
const store = createStore(database);
store.nameFirstAgent('local');
const changelog = createChangelog(database.db);
const random = seededRandom(SEED);
const chains = await Promise.all(
  ['a', 'b', 'c'].map(async (name) => (await selfSigned([`${name}.example`])).certificate),
);
let clock = Date.parse('2026-11-01T00:00:00Z');
let set = store.load();

/** Plans a change and stores it, as the publisher does. @returns its group; null if it changes nothing */
async function make<T>(change: Change<T>): Promise<{ result: T; group: number | null }> {
  clock += 1 + random.below(3);
  const plan = await change(set, new Date(clock));
  if ('done' in plan) return { result: plan.done, group: null };
  const [group = null] = store.commit([{ author: ADA, plan }], new Date(clock));
  set = plan.next;
  return { result: plan.result, group };
}

/** The same, unless it is refused. */
const tried = <T>(change: Change<T>) =>
  make(change).catch((error: unknown) => {
    if (error instanceof Failure) return null;
    throw error;
  });

/** All that is published or shown; when something last changed is no part of it. */
function factsOf({ vhosts, policies, preamble, agents, certificates, ...rest }: SiteSet) {
  const plain = <T extends { updatedAt: Date }>({ updatedAt: _, ...one }: T) => one;
  return {
    text: renderSet({ ...rest, vhosts, policies, preamble, agents, certificates: [] }, '2.6.2')
      .text,
    vhosts: vhosts.map((vhost) => ({
      ...plain(vhost),
      policies: vhost.policies.map(plain),
      agents: vhost.agents.toSorted(),
      // Of a policy that is deleted, nothing is left out.
      except: vhost.except.filter((id) => policies.some((one) => one.id === id)),
    })),
    policies: policies.map(plain),
    preambles: Object.fromEntries(agents.map(({ id, preamble }) => [id, preamble])),
    certificates: certificates.map(plain),
  };
}

const anyOf = <T>(things: readonly T[]): T | undefined => things[random.below(things.length || 1)];
const DOMAINS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`) as [string];
const NAMES = ['lan', 'home', 'family'] as const;
const domain = () => random.pick(DOMAINS);
const someOf = (names: readonly string[]) => names.filter(() => random.below(2) === 0);

const input = () => ({
  domain: domain(),
  config: `respond ${random.below(4)}`,
  upstream: random.pick(['', '10.0.0.1:80']),
  enabled: random.below(4) > 0,
  tags: someOf(['one', 'two']),
  policies: someOf(set.policies.map(({ name }) => name)),
  except: someOf(set.policies.map(({ name }) => name)),
  agents: someOf(set.agents.map(({ name }) => name)),
  source: random.pick([null, 'file']),
});

const policy = () => ({
  name: random.pick(NAMES),
  recipe: 'allow',
  values: { networks: [random.pick(['10.0.0.0/8', '192.168.0.0/16'])] },
  everywhere: random.below(3) === 0,
});

const content = () => () => ({
  chain: chains[random.below(chains.length)] ?? '',
  key: Buffer.from(String(clock)).toString('base64'),
  provider: null,
  spec: null,
});

const NOTHING: Change<unknown> = () => ({ done: null });

/** A change of any kind; it may well be refused. */
function anyChange(): Change<unknown> {
  const { source: _, ...update } = input();
  const site = anyOf(set.vhosts)?.id ?? 0;
  const one = anyOf(set.policies);
  const agent = anyOf(set.agents)?.name ?? '';
  const certificate = anyOf(set.certificates)?.id ?? 0;
  const last = anyOf(changelog.groups({}));
  const { recipe, values, ...named } = policy();
  return random.pick<Change<unknown>>([
    createChange(input()),
    createChange(input()),
    updateChange(site, update),
    updateChange(site, { domain: domain() }),
    toggleChange(site),
    deleteChange(site),
    together([deleteChange(site), createChange(input()), createPolicyChange(policy())]),
    createPolicyChange(policy()),
    one ? updatePolicyChange(one.id, { ...named, recipe, values: () => values }) : NOTHING,
    one ? deletePolicyChange(one.id) : NOTHING,
    preambleChange(`# ${random.below(3)}\n`),
    agentPreambleChange(agent, random.pick([null, '# own\n'])),
    createAgentChange({
      id: set.nextAgentId,
      name: random.pick(['edge', 'attic']),
      url: 'https://edge.example',
      fingerprint: 'ab',
    }),
    updateAgentChange(agent, { name: random.pick(['edge', 'attic', 'shed']) }),
    random.below(3) === 0 ? deleteAgentChange(agent) : NOTHING,
    createCertificateChange(random.pick(['cert-a', 'cert-b']), content()),
    updateCertificateChange(certificate, { contentFor: content() }),
    deleteCertificateChange(certificate, true),
    last ? async (...given) => undoOfGroup(changelog, last.group).change(...given) : NOTHING,
  ]);
}

type Seen = { at: Date; facts: ReturnType<typeof factsOf>; agents: readonly number[] };

const momentOf = (at: Date) => netsAfter(database.db, lastEntryAt(database.db, at));

const back = (at: Date, partial = false) =>
  restoreChange({ nets: momentOf(at), seen: set, vhosts: undefined, partial, isOwner: true });

/** Without certificates: those that came later stay. */
const comparable = ({ certificates: _, ...facts }: ReturnType<typeof factsOf>) => facts;

test(
  'every moment is what was stored then, is brought back whole, and the way back is undone',
  async () => {
    await make(preambleChange('# first\n'));
    const counts = { moments: 0, whole: 0, refused: 0 };
    for (let history = 0; history < HISTORIES; history++) {
      const seen: Seen[] = [];
      for (let at = 0; at < CHANGES; at++) {
        await tried(anyChange());
        const agents = set.agents.map(({ id }) => id);
        seen.push({ at: new Date(clock), facts: factsOf(set), agents });
      }
      const before = factsOf(set);
      for (const { at, facts } of seen) {
        const found = factsOf(setBefore(momentOf(at), set));
        // The preambles of agents that are no longer there are not kept.
        const preambles = Object.fromEntries(
          Object.entries(found.preambles).filter(([id]) => id in facts.preambles),
        );
        const expected = Object.fromEntries(
          Object.entries(facts.preambles).filter(([id]) => id in found.preambles),
        );
        expect({ ...found, preambles }).toEqual({ ...facts, preambles: expected });
        counts.moments++;
      }
      const goal = anyOf(seen) as Seen;
      const stays = goal.agents.every((id) => set.agents.some((one) => one.id === id));
      const restored = await make<Restored>(back(goal.at)).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        return error;
      });
      if (restored instanceof Failure) {
        expect([restored.code, stays, factsOf(set)]).toEqual(['NOT_RESTORABLE', false, before]);
        counts.refused++;
        const partial = await tried<Restored>(back(goal.at, true));
        if (partial) expect(partial.result.left.length).toBeGreaterThan(0);
        continue;
      }
      counts.whole++;
      const after = comparable(factsOf(set));
      const kept = (facts: typeof before) => ({
        ...comparable(facts),
        preambles: Object.fromEntries(
          set.agents.map(({ id }) => [id, facts.preambles[id] ?? null]),
        ),
      });
      expect(kept(factsOf(set))).toEqual(kept(goal.facts));
      if (restored.group === null) continue;
      expect(
        changelog.findGroup(restored.group).every(({ group }) => group === restored.group),
      ).toBe(true);
      await make(undoOfGroup(changelog, restored.group).change);
      expect(comparable(factsOf(set))).toEqual(comparable(before));
      await make<Restored>(back(goal.at));
      expect(comparable(factsOf(set))).toEqual(after);
    }
    expect(counts.moments).toBe(HISTORIES * CHANGES);
    expect(Math.min(counts.whole, counts.refused)).toBeGreaterThan(0);
  },
  limit(600_000),
);

test('what somebody else has changed meanwhile is not restored, nor anything else', async () => {
  const { result } = await make(createChange({ domain: 'http://x.example', config: 'respond 1' }));
  const at = new Date(clock);
  await make(updateChange(result.id, { config: 'respond 2' }));
  await make(createChange({ domain: 'http://y.example', config: 'respond 1' }));
  const change = back(at);
  await make(updateChange(result.id, { tags: ['theirs'] }));
  const before = factsOf(set);
  expect(await make(change).catch((error: Failure) => error.code)).toBe('STALE');
  expect(factsOf(set)).toEqual(before);
  await make(back(at));
  expect(set.vhosts.find(({ id }) => id === result.id)).toMatchObject({
    config: 'respond 1',
    tags: [],
  });
});

test('what stays is known by kind and id: an agent that is gone keeps no policy on the site with its id', async () => {
  const numbered = async (): Promise<number> => {
    const domain = `http://same-${set.vhosts.length}.example`;
    const { result } = await make(createChange({ domain, config: 'abort' }));
    return result.id < set.nextAgentId ? numbered() : result.id;
  };
  const id = await numbered();
  const agent = { id, url: 'https://same.example', fingerprint: 'cd' };
  await make(createAgentChange({ ...agent, name: 'same' }));
  await make(agentPreambleChange('same', '# own\n'));
  const at = new Date(clock);
  await make(agentPreambleChange('same', null));
  await make(createPolicyChange({ ...policy(), name: 'newer', everywhere: false }));
  await make(updateChange(id, { policies: ['newer'] }));
  await make(deleteAgentChange('same'));
  const { result } = await make<Restored>(back(at, true));
  expect(result.left.map(({ name }) => name)).toEqual(['Caddy options same']);
  expect(set.policies.map(({ name }) => name)).not.toContain('newer');
});
