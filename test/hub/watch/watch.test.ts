/**
 * What is reported of agents, proxies and sites that come, go and fall silent. The looks are stand-ins,
 * because they are to follow each other in any order; database and transactions are real.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { outbox } from '../../../src/features/channels/outbox.ts';
import { channels, messages } from '../../../src/features/channels/tables.ts';
import { incidents, knownProblems } from '../../../src/hub/db/schema.ts';
import type { Vhost } from '../../../src/hub/model/vhost.ts';
import { PACE } from '../../../src/hub/pace.ts';
import type { AgentFacts } from '../../../src/hub/watch/agent-facts.ts';
import {
  beginnings,
  createIncidents,
  DROPPED,
  listIncidents,
} from '../../../src/hub/watch/incidents/incidents.ts';
import { createWatcher } from '../../../src/hub/watch/incidents/watcher.ts';
import { createKnownProblems } from '../../../src/hub/watch/known.ts';
import type { Look } from '../../../src/hub/watch/look.ts';
import { createProblemList, type ListProblems } from '../../../src/hub/watch/problem-list.ts';
import { STATE, type VhostState } from '../../../src/hub/watch/sites/view.ts';
import type { EventName } from '../../../src/shared/events.ts';
import type { ProxyStatus } from '../../../src/shared/wire/proxy.ts';
import { NOT_DIALLED_YET } from '../../../src/shared/wire/sites.ts';
import { startDatabase } from '../../harness/database.ts';
import { agentFacts, proxyStatus } from '../../harness/facts.ts';
import { forEachTest } from '../../harness/for-tests.ts';

const START = Date.parse('2026-11-20T18:00:00.000Z');
const database = forEachTest(startDatabase);
let lines: string[];
let seconds: number;
let watcher: ReturnType<typeof startWatcher>;
let current: Look;
let listProblems: ListProblems;
let stored: Vhost[];

beforeEach(() => {
  stored = [];
  lines = [];
  seconds = 0;
  watcher = startWatcher();
});

function startWatcher() {
  const { db } = database;
  const now = () => new Date(START + seconds * 1000);
  const known = createKnownProblems(db, now, () => ({ vhosts: stored }), PACE.watch);
  const isKnown = (problem: string) => known.read().has(problem);
  listProblems = createProblemList({ beginnings: () => beginnings(db), known: known.read });
  return createWatcher({
    look: async () => current,
    incidents: createIncidents(db, [outbox], isKnown, PACE.watch),
    recorded: () => {},
    listProblems,
    known,
    pace: PACE.watch,
    now,
    elapsed: () => seconds * 1000,
    log: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
  });
}

/** Looks every five seconds for so long. */
async function pass(look: Look, forSeconds = 15) {
  current = look;
  for (let i = 0; i < forSeconds; i += 5) {
    await watcher.look();
    seconds += 5;
  }
}

const recorded = () => database.db.select().from(incidents).all();
const events = () =>
  recorded().map(({ event, subject, overAt }) => `${event} ${subject}${overAt ? ' over' : ''}`);

const FINE = proxyStatus();
const DOWN: ProxyStatus = { ...FINE, liveDigest: null, proxy: { running: false, version: null } };
const STALE = { ...FINE, liveDigest: 'b' };
const SITE = STATE as VhostState;
const [address] = SITE.addresses;
const [upstream] = SITE.upstreams;
if (!address || !upstream) throw new Error('no example');

const site = (more: Partial<VhostState> = {}): VhostState => ({ ...SITE, ...more });
const refused = { ...upstream, up: false, error: { at: upstream.since ?? '', message: 'refused' } };
const dead = site({ upstreams: [refused] });
const undialled = { upstreams: [{ ...upstream, up: null, unknown: NOT_DIALLED_YET }] };

type Change = { status?: ProxyStatus | null; states?: VhostState[] | null; facts?: object };

/** An agent whose proxy has these sites. */
function agent(
  change: Change & Partial<Pick<AgentFacts, 'id' | 'name' | 'placed'>> = {},
): AgentFacts {
  const { status = FINE, states = [site()], id = 1, name = 'local' } = change;
  return agentFacts({
    id,
    name,
    now: '',
    status,
    inStep: status !== null && status.liveDigest === 'a',
    knowsEnding: status !== null,
    placed: change.placed ?? new Set([1]),
    sites: status?.proxy.running ? states : null,
    ...change.facts,
  });
}

const lookAt = (...agents: AgentFacts[]): Look => ({ agents, disks: [], hub: [] });
const only = (change: Parameters<typeof agent>[0] = {}) => lookAt(agent(change));
const fact = (facts: object) => only({ facts });
/** The only site is so. */
const seen = (more: Partial<VhostState>) => only({ states: [site(more)] });
const several = (...agents: AgentFacts[]) =>
  lookAt(...agents.map((one) => ({ ...one, label: one.name })));
const down = only({ states: [dead] });
const gone = only({ states: [], placed: new Set() });
const disk = (free: number, id = 'a') => fact({ disks: [{ id, holds: ['the log'], free }] });
/** What the hub itself has. */
const own = (code: 'DISK_FULL' | 'SIGN_IN_LOCKED'): Look => ({
  ...only(),
  hub: [{ code, level: 'warn', message: 'x' }],
});
const vps = (change: Parameters<typeof agent>[0] = {}) => agent({ id: 2, name: 'vps', ...change });

const acme = { name: 'a', at: '', message: 'refused', standing: true };
const bare = { ...address, certificate: null, reason: 'none' };
const unsigned = seen({ addresses: [bare] });
const denied = seen({ addresses: [bare], errors: { acme, upstream: null } });
const vhost = { id: 1, domain: 'app.example.org' };
const shown = { ...vhost, name: vhost.domain, issuer: 'x', notAfter: '2026-11-22T00:00:00.000Z' };
const ending = fact({ certificates: [{ ...shown, daysLeft: 2, overdue: true }] });
const failing = [{ ...vhost, since: '', reason: 'answered 502' }];
const closed = [{ address: ':80', port: 80, reason: 'held by nginx' }];
const unserved = (ports: number[]) => ({ unserved: [{ vhost, detail: 'no', ports }] });
const lag = { since: '2026-11-20T17:00:00.000Z', paused: false };
const behind = (lag: object) =>
  several(agent(), vps({ status: STALE, facts: { inStep: false, lag } }));

describe('nothing is reported', () => {
  test.each<[string, Look]>([
    ['if all is well', only()],
    ['of a publish that is under way', only({ status: STALE })],
    ['of one that is paused', behind({ ...lag, paused: true })],
    ['of sites that are not known', only({ states: null })],
    ['of an upstream that has not been dialled yet', seen(undialled)],
    [
      'of another port that is used instead',
      fact({
        serving: {
          http: { port: 8080, wanted: 80, reason: 'held', blocked: true },
          cure: null,
          https: { port: 443, wanted: 443, reason: null, blocked: false },
        },
      }),
    ],
    ['of a disk that has room', disk(0.05)],
  ])('%s', async (_, look) => {
    await pass(look, 60);
    expect(events()).toEqual([]);
  });

  test('of what is only starting', async () => {
    await pass(only({ status: null }), 5);
    await pass(only({ status: DOWN }), 5);
    await pass(only({ status: { ...FINE, liveDigest: null }, states: [] }), 5);
    await pass(only(), 20);
    expect(events()).toEqual([]);
  });

  test('of a single request that fails, though the upstream can be reached', async () => {
    const once = { ...refused, error: { at: '', message: 'timeout', transient: true as const } };
    await pass(seen({ upstreams: [once] }), 65);
    await pass(only(), 20);
    expect(events()).toEqual([]);
    await pass(seen({ upstreams: [once] }), 85);
    expect(events()).toEqual(['upstream.down vhost 1']);
  });

  test('in the first half minute of a site that gets its certificate', async () => {
    await pass(unsigned, 30);
    await pass(only(), 20);
    expect(events()).toEqual([]);
  });
});

/** What the facts themselves say. */
const BEGAN: Partial<Record<EventName, string>> = {
  'upstream.down': upstream.since ?? '',
  'agent.behind': lag.since,
};

describe('each event begins and is over once', () => {
  test.each<[EventName, string, Look, Look]>([
    ['agent.unreachable', 'agent 1', only({ status: null }), only()],
    ['proxy.down', 'agent 1', only({ status: DOWN }), only()],
    ['drift', 'agent 1', only({ status: { ...FINE, drift: true } }), only()],
    ['upstream.down', 'vhost 1', down, only()],
    ['certificate.failed', 'vhost 1', denied, only()],
    ['certificate.ending', 'vhost 1', ending, only()],
    ['vhost.broken', 'vhost 1', fact(unserved([])), only()],
    [
      'vhost.broken',
      'agent 1 ports',
      only({ status: { ...FINE, closed }, facts: unserved([80]) }),
      only(),
    ],
    ['agent.behind', 'agent 2', behind(lag), several(agent(), vps())],
    ['disk.full', 'agent 1 the log', disk(0.04), disk(0.06, 'b')],
    ['disk.full', 'hub', own('DISK_FULL'), only()],
    ['sign-in.locked', 'hub', own('SIGN_IN_LOCKED'), only()],
  ])('%s %s', async (event, subject, bad, good) => {
    await pass(good);
    await pass(bad, 10);
    expect(events()).toEqual([]);
    await pass(bad, 30);
    expect(events()).toEqual([`${event} ${subject}`]);
    await pass(good, 10);
    expect(events()).toEqual([`${event} ${subject}`]);
    await pass(good, 30);
    expect(events()).toEqual([`${event} ${subject} over`]);
    const beganAt = new Date(BEGAN[event] ?? START + 15_000);
    expect(recorded()).toMatchObject([{ beganAt, overAt: new Date(START + 55_000) }]);
  });

  test('a certificate that is missing for long, without anybody having refused it', async () => {
    await pass(unsigned, 45);
    expect(events()).toEqual(['certificate.failed vhost 1']);
  });
});

describe('a problem is there since the same time', () => {
  const sinces = () =>
    listProblems(current, new Date(START + seconds * 1000)).map(({ since }) => since);

  test.each<[string, Look, string]>([
    ['its fact says', only({ states: [dead] }), upstream.since ?? ''],
    ['a status found it', only({ facts: { now: '2026-11-20T17:59:58.000Z' }, status: DOWN }), ''],
  ])('%s, before and after it is an incident, and over a restart', async (_, look, said) => {
    current = look;
    const since = said || '2026-11-20T17:59:58.000Z';
    expect(sinces()).toEqual([since]);
    for (const one of look.agents) one.now = '2026-11-20T18:00:01.000Z';
    await pass(look, 10);
    expect([sinces(), events()]).toEqual([[since], []]);
    await pass(look, 10);
    expect(sinces()).toEqual([since]);
    watcher = startWatcher();
    expect(sinces()).toEqual([since]);
    expect(listIncidents(database.db, true, new Map())).toMatchObject([{ beganAt: since }]);
  });

  test('whatever an agent says that is no time', async () => {
    const odd = { ...upstream, up: false, since: 'yesterday', error: null };
    await pass(seen({ upstreams: [odd] }), 20);
    expect(listIncidents(database.db, true, new Map())).toMatchObject([
      { beganAt: new Date(START).toISOString() },
    ]);
  });
});

test('a site that is turned off is no longer watched: nobody says that its incident was resolved', async () => {
  const ends = () =>
    listIncidents(database.db, false, new Map()).map(
      ({ overAt, dropped }) => `${overAt === null ? 'open' : 'over'}${dropped ? ', dropped' : ''}`,
    );
  await pass(down, 15);
  await pass(gone, 10);
  await pass(down, 15);
  expect(ends()).toEqual(['open', 'over, dropped']);
  await pass(only(), 15);
  expect(ends()).toEqual(['over', 'over, dropped']);
});

describe('what is not known is not over', () => {
  beforeEach(async () => {
    await pass(down, 15);
    expect(events()).toEqual(['upstream.down vhost 1']);
  });

  test.each<[string, Look]>([
    ['while the agent does not answer', only({ status: null })],
    ['while the proxy is down', only({ status: DOWN })],
    ['while the proxy has just been started', only({ status: { ...FINE, liveDigest: null } })],
    ['while the agent has not said how the sites are', only({ states: null })],
    ['while the agent has not dialled it yet', seen(undialled)],
    [
      'while the proxy does not serve it',
      seen({ upstreams: [], addresses: [{ ...address, served: false }] }),
    ],
  ])('%s', async (_, look) => {
    await pass(look, 60);
    expect(events()).not.toContain('upstream.down vhost 1 over');
    // Nor after a restart of the hub, which remembers nothing else.
    watcher = startWatcher();
    await pass(look, 60);
    expect(events()).not.toContain('upstream.down vhost 1 over');
    await pass(only(), 15);
    expect(events().filter((one) => one.startsWith('upstream'))).toEqual([
      'upstream.down vhost 1 over',
    ]);
  });

  test('but it is over if nobody can ever tell', async () => {
    const unknown = 'Upstreams are not dialled.';
    await pass(seen({ upstreams: [{ ...upstream, up: null, unknown }] }));
    expect(events()).toEqual(['upstream.down vhost 1 over']);
  });

  test('and it is over at once if the site is disabled or deleted, whoever is silent', async () => {
    await pass(only({ status: null, placed: new Set() }), 5);
    expect(events()).toEqual(['upstream.down vhost 1 over']);
  });
});

describe('a check that fails', () => {
  const failed = fact({ failing });

  test('was wrong twice already, so that it begins at once', async () => {
    await pass(failed, 5);
    expect(events()).toEqual(['check.failing vhost 1']);
  });

  test('is not over while nobody has asked often enough, nor while Caddy is down', async () => {
    await pass(failed, 5);
    watcher = startWatcher();
    await pass(fact({ isUnasked: () => true }), 60);
    await pass(only({ status: DOWN, facts: { failing } }), 60);
    expect(events().filter((one) => one.startsWith('check'))).toEqual(['check.failing vhost 1']);
    await pass(only(), 15);
    expect(events()).toContain('check.failing vhost 1 over');
  });

  test('is not one for each site while Caddy is down', async () => {
    await pass(only({ status: DOWN, facts: { failing } }), 60);
    expect(events()).toEqual(['proxy.down agent 1']);
  });
});

test('one whose certificate expires and is then not there at all has not got one', async () => {
  await pass(ending);
  await pass(denied, 20);
  expect(events()).toEqual(['certificate.ending vhost 1', 'certificate.failed vhost 1']);
  await pass(only());
  expect(events()).toEqual(['certificate.ending vhost 1 over', 'certificate.failed vhost 1 over']);
});

test('a disk is full until it has a little more room, also for a hub that was restarted', async () => {
  await pass(disk(0.049));
  watcher = startWatcher();
  await pass(disk(0.055), 60);
  expect(events()).toEqual(['disk.full agent 1 the log']);
  await pass(disk(0.06));
  expect(events()).toEqual(['disk.full agent 1 the log over']);
});

describe('of several agents', () => {
  const lost = several(agent(), vps({ status: null }));

  test('one that is silent says nothing of a site that another one answers for', async () => {
    await pass(several(agent({ states: [dead] }), vps({ status: null })), 20);
    await pass(lost, 20);
    expect(events()).toEqual(['upstream.down vhost 1 over', 'agent.unreachable agent 2']);
  });

  test('a site that is down on one of them is not over while that one is silent', async () => {
    await pass(several(agent(), vps({ states: [dead] })), 20);
    await pass(lost, 60);
    expect(events()).toEqual(['upstream.down vhost 1', 'agent.unreachable agent 2']);
    await pass(several(agent(), vps()), 20);
    expect(events()).toEqual(['upstream.down vhost 1 over', 'agent.unreachable agent 2 over']);
  });

  test('a site that is down on all of them is one incident, until it is up on all', async () => {
    await pass(several(agent({ states: [dead] }), vps({ states: [dead] })), 20);
    await pass(several(agent(), vps({ states: [dead] })), 20);
    expect(events()).toEqual(['upstream.down vhost 1']);
    const message = 'vps: 127.0.0.1:8000 does not answer: refused.';
    expect(recorded()).toMatchObject([{ message }]);
    await pass(several(agent(), vps()), 20);
    expect(events()).toEqual(['upstream.down vhost 1 over']);
  });

  test('what was about one that is removed is over at once, and a new name is no news', async () => {
    await pass(lost, 20);
    await pass(several(agent(), vps({ status: null, name: 'box' })), 20);
    expect(recorded()).toMatchObject([{ about: 'box', event: 'agent.unreachable', overAt: null }]);
    await pass(only(), 5);
    expect(events()).toEqual(['agent.unreachable agent 2 over']);
  });

  test('a site that is moved away from one that is silent is over', async () => {
    await pass(several(agent({ placed: new Set() }), vps({ states: [dead] })), 20);
    await pass(several(agent(), vps({ status: null, placed: new Set() })), 15);
    expect(events()).toContain('upstream.down vhost 1 over');
  });
});

describe('messages', () => {
  const channel = (more: Partial<typeof channels.$inferInsert> = {}) =>
    database.db
      .insert(channels)
      .values({
        name: 'phone',
        kind: 'webhook',
        events: [],
        quiet: null,
        enabled: true,
        target: Buffer.alloc(0),
        createdAt: new Date(START),
        updatedAt: new Date(START),
        ...more,
      })
      .run();
  const written = () => database.db.select().from(messages).all();
  const sent = () =>
    written().map(({ channelId, state, event }) => `${channelId} ${state} ${event}`);
  const [BEGAN, OVER] = ['1 began upstream.down', '1 over upstream.down'];

  test('go to every channel that is enabled and wants such events, and was there then', async () => {
    channel();
    channel({ events: ['drift'] });
    channel({ enabled: false });
    channel({ events: ['drift', 'upstream.down'] });
    await pass(down, 20);
    channel();
    await pass(down, 20);
    database.db.update(channels).set({ enabled: true, events: [] }).run();
    await pass(only());
    expect(sent()).toEqual([BEGAN, '4 began upstream.down', OVER, '4 over upstream.down']);
  });

  test.each([
    ['within the ten seconds in which it has to last', START + 9_000],
    ['before the clock was set back', START + 3_600_000],
  ])('go to a channel that was made %s', async (_, createdAt) => {
    await pass(down, 10);
    channel({ createdAt: new Date(createdAt) });
    await pass(down, 5);
    expect(sent()).toEqual([BEGAN]);
  });

  test('that it is over wait for a channel that was disabled after it had begun', async () => {
    channel();
    await pass(down);
    database.db.update(channels).set({ enabled: false }).run();
    await pass(only());
    expect(sent()).toEqual([BEGAN, OVER]);
  });

  test('that it is over say so if the site was deleted', async () => {
    channel();
    await pass(down);
    await pass(gone, 5);
    expect(written()).toMatchObject([
      { state: 'began', message: expect.stringContaining('does not answer') },
      { state: 'over', message: DROPPED },
    ]);
  });

  test('that it is over come however many others were sent meanwhile', async () => {
    channel();
    await pass(down);
    const at = new Date(START);
    const old = { event: 'drift', about: '', level: 'warn', message: '' } as const;
    database.db.update(messages).set({ sentAt: at }).run();
    const more = { ...old, channelId: 1, state: 'over', at, dueAt: at, sentAt: at } as const;
    database.db.insert(messages).values(Array(1_100).fill(more)).run();
    await pass(only({ states: [dead], status: { ...FINE, drift: true } }));
    await pass(only());
    expect(sent()).toContain(OVER);
  });

  test('are not sent again after a restart', async () => {
    channel();
    await pass(down);
    watcher = startWatcher();
    await pass(down, 60);
    expect(sent()).toEqual([BEGAN]);
    await pass(only(), 10);
    watcher = startWatcher();
    await pass(only());
    expect(sent()).toEqual([BEGAN, OVER]);
  });

  test('what flaps is one, and nobody hears more until it has been quiet; a restart changes nothing', async () => {
    channel();
    for (let i = 0; i < 5; i++) {
      await pass(down);
      if (i === 2) watcher = startWatcher();
      await pass(only());
    }
    expect(sent()).toEqual([BEGAN, OVER, BEGAN, OVER, '1 flapping upstream.down']);
    await pass(only(), 300);
    watcher = startWatcher();
    await pass(only(), 280);
    expect(sent()).toHaveLength(5);
    await pass(only(), 30);
    expect(sent().slice(5)).toEqual([OVER]);
    expect(events()).toHaveLength(3);
  });

  test('are recorded with the incident, or not at all, and then at a later look', async () => {
    channel();
    database.db.run(
      "CREATE TRIGGER full BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    await pass(down, 40);
    expect(events()).toEqual([]);
    expect(lines.filter((line) => line.startsWith('incidents not recorded'))).toHaveLength(1);
    expect(lines.join()).not.toContain('app.example.org');
    database.db.run('DROP TRIGGER full');
    await pass(down, 5);
    expect([events(), sent()]).toEqual([['upstream.down vhost 1'], [BEGAN]]);
  });

  const UPSTREAM = `UPSTREAM_DOWN agent 1 ${upstream.address}`;
  /** @param until minutes after the start; null: until it is over */
  const know = (until: number | null, problem = UPSTREAM) => {
    const at = new Date(START);
    const time = until === null ? null : new Date(START + until * 60_000).toISOString();
    const row = { problem, words: 'It is off', by: 'Ann', createdAt: at, updatedAt: at };
    database.db
      .insert(knownProblems)
      .values({ ...row, until: time })
      .run();
  };
  test('are not sent of what is known: not when it begins, and not when it is over', async () => {
    channel();
    know(null);
    await pass(down, 60);
    watcher = startWatcher();
    await pass(down, 60);
    await pass(only(), 30);
    expect(events()).toEqual(['upstream.down vhost 1 over']);
    expect(sent()).toEqual([]);
    // It comes again.
    await pass(down);
    expect(sent()).toEqual([BEGAN]);
  });

  test('are sent of another problem of the same site, and of what was told before it was known', async () => {
    channel();
    know(null, 'UPSTREAM_DOWN 127.0.0.1:9999');
    await pass(down);
    know(null);
    await pass(only());
    expect(sent()).toEqual([BEGAN, OVER]);
  });

  test('are sent of what is still there once it is no longer known', async () => {
    channel();
    know(2);
    await pass(down, 115);
    expect(sent()).toEqual([]);
    await pass(down, 10);
    expect(sent()).toEqual([BEGAN]);
    await pass(only());
    expect(sent()).toEqual([BEGAN, OVER]);
  });

  test('are not sent of what is known as long as nobody can tell whether it is over', async () => {
    channel();
    know(null);
    await pass(down);
    await pass(only({ states: null }), 60);
    know(null, 'ADVISORY agent 1');
    know(null, 'ADVISORY agent 12');
    await pass(only({ status: DOWN }), 15);
    const over = () =>
      database.db
        .select()
        .from(knownProblems)
        .all()
        .filter(({ overAt }) => overAt !== null)
        .map(({ problem }) => problem);
    // There is no agent 12: what it had is over.
    expect(over()).toEqual(['ADVISORY agent 12']);
    await pass(down, 5);
    expect(sent()).toEqual(['1 began proxy.down']);
    await pass(only(), 30);
    expect(over()).toEqual([UPSTREAM, 'ADVISORY agent 1', 'ADVISORY agent 12']);
  });

  test.each<[string, string, Look]>([
    ['the upstream', UPSTREAM, down],
    ['the certificate', 'CERTIFICATE_MISSING vhost 1', unsigned],
    ['the check', 'CHECK_FAILING agent 1 vhost 1', fact({ failing })],
  ])('are not sent of what is known after its site was off: %s', async (_, problem, look) => {
    channel();
    know(null, problem);
    await pass(look, 60);
    const proxy = { upstream: '127.0.0.1:8000', config: 'reverse_proxy {upstream}' };
    const off = { id: 1, enabled: false, ...proxy };
    stored = [off as Vhost];
    await pass(gone, 60);
    stored = [{ ...off, enabled: true } as Vhost];
    // It was turned on, and nobody has looked at it yet.
    const unasked = { ...bare, checkedAt: null, reason: null };
    const states = [site({ ...undialled, addresses: [unasked] })];
    await pass(only({ states, facts: { isUnasked: () => true } }), 5);
    await pass(look, 60);
    expect(sent()).toEqual([]);
    // Deleted, it is over.
    stored = [];
    await pass(gone, 15);
    stored = [off as Vhost];
    await pass(look, 60);
    expect(sent()).toHaveLength(1);
  });

  test('are sent of an upstream that was up meanwhile, though another site that needs it is off', async () => {
    channel();
    know(null);
    stored = [
      { id: 2, enabled: false, upstream: '', config: 'reverse_proxy 127.0.0.1:8000' } as Vhost,
    ];
    await pass(down, 60);
    await pass(only(), 30);
    await pass(down);
    expect(sent()).toEqual([BEGAN]);
  });

  test('the last thousand are kept, and what is open or waits for longer', async () => {
    channel();
    const at = new Date(START);
    const old = { event: 'drift', about: '', level: 'warn', message: '' } as const;
    database.db.transaction((tx) => {
      for (let i = 0; i < 1_200; i++) {
        const overAt = i === 0 ? null : at;
        tx.insert(incidents)
          .values({ ...old, subject: `agent ${i + 1}`, beganAt: at, overAt })
          .run();
        const sentAt = i === 0 ? null : at;
        tx.insert(messages)
          .values({ ...old, channelId: 1, state: 'over', at, dueAt: at, sentAt })
          .run();
      }
    });
    await pass(only({ states: [dead], status: { ...FINE, drift: true } }));
    const ids = recorded().map(({ id }) => id);
    expect([ids.length, ...ids.slice(0, 2)]).toEqual([1_002, 1, 201]);
    expect(written()).toHaveLength(1_002);
  });
});
