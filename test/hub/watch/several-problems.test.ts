/** Which problems follow from the facts of several agents. */
import { expect, test } from 'bun:test';
import { EMPTY_SET, type Vhost } from '../../../src/hub/model/vhost.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import type { AgentFacts } from '../../../src/hub/watch/agent-facts.ts';
import type { Problem } from '../../../src/hub/watch/problem.ts';
import { createProblemList, type Listed } from '../../../src/hub/watch/problem-list.ts';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';
import { createStatusReader } from '../../../src/hub/watch/status.ts';
import {
  addressState,
  agentFacts,
  MOMENT as NOW,
  problemLine,
  proxyStatus,
  vhostState,
} from '../../harness/facts.ts';

type Upstream = VhostState['upstreams'][number];

const EARLIER = '2026-11-20T17:00:00.000Z';
const status = proxyStatus();
const of = (name: string, change: Partial<AgentFacts> = {}, now = NOW) =>
  agentFacts({ name, label: name, lag: { since: null, paused: false }, now, ...change });
/** Without what they are known by. */
const shown = (found: readonly Listed[]) =>
  found.map(({ key: _, marks: __, incidents: ___, ...one }) => one);
const find = (...agents: AgentFacts[]) =>
  shown(createProblemList()({ agents, hub: [] }, new Date(NOW)));
const LACKS = 'Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';

test('all is well', () => {
  expect(find(of('local'), of('twin'))).toEqual([]);
});

const lag = { since: EARLIER, paused: false };
const REFUSED = { inStep: false, rejection: 'line 1: no', lag };

test.each<[string, Partial<AgentFacts>, string]>([
  [
    'one that obeys another hub',
    { ownership: 'Another hub publishes to this Caddy.' },
    'warn FOREIGN on twin: twin: Another hub publishes to this Caddy.',
  ],
  [
    'one whose proxy refuses all',
    REFUSED,
    `bad NOT_IN_STEP on twin: twin: The stored state is not live: line 1: no. ${LACKS}`,
  ],
  [
    'one whose proxy refuses all, and has never served any of it',
    { ...REFUSED, status: { ...status, liveDigest: null } },
    'bad NOT_IN_STEP on twin: twin: The stored state is not live: line 1: no. Its Caddy serves none of the sites yet.',
  ],
  [
    'one that lacks a change',
    { inStep: false, lag },
    `bad NOT_IN_STEP on twin since ${EARLIER}: twin: ${LACKS} signalbox is publishing them.`,
  ],
  [
    'one that serves something else',
    { inStep: false },
    expect.stringMatching(/^warn NOT_IN_STEP on twin: twin: Caddy does not/),
  ],
])('%s', (_, change, line) => {
  expect(find(of('local'), of('twin', change)).map(problemLine)).toEqual([line]);
});

test('what several of them have in common is one problem, as old as its first part', () => {
  const list = createProblemList();
  const drift = { status: { ...status, drift: true } };
  list({ agents: [of('local'), of('twin', drift, EARLIER)], hub: [] }, new Date(NOW));
  const found = list({ agents: [of('local', drift), of('twin', drift)], hub: [] }, new Date(NOW));
  expect(found).toMatchObject([{ code: 'DRIFT', agents: ['local', 'twin'], since: EARLIER }]);
  expect(found[0]?.message).toStartWith('local and twin: The Caddyfile on disk was edited');
});

test('two dead Caddys are two problems, each since its own time, with the reason and without a warning besides', () => {
  const list = createProblemList();
  const fault = 'Caddy cannot be started: the proxy did not start.';
  const proxy = { running: false, version: '2.6.2' };
  const down = { status: { ...status, proxy, fault }, warnings: [fault, 'Its clock is wrong.'] };
  const silent = (name: string, id: number, now: string) => of(name, { id, status: null }, now);
  const first = [of('local'), of('twin', { id: 2, ...down }, EARLIER), silent('vps', 3, EARLIER)];
  list({ agents: first, hub: [] }, new Date(EARLIER));
  const then = [of('local', down), of('twin', { id: 2, ...down }), silent('vps', 3, NOW)];
  const agents = [...then, silent('nas', 4, NOW)];
  const found = shown(list({ agents, hub: [] }, new Date(NOW)));
  const message = `${fault} No site is known to be served.`;
  const gone = 'The agent does not answer. Until it returns, its Caddy keeps its current sites.';
  expect(found.map(({ code, since, message: words }) => [code, since, words])).toEqual([
    ['PROXY_DOWN', EARLIER, `twin: ${message}`],
    ['PROXY_DOWN', NOW, `local: ${message}`],
    ['AGENT_UNREACHABLE', EARLIER, `vps: ${gone}`],
    ['AGENT_UNREACHABLE', NOW, `nas: ${gone}`],
    ['WARNING', EARLIER, 'local and twin: Its clock is wrong.'],
  ]);
});

test('what is wrong with the hub itself belongs to no agent, and is as old as when it was found', () => {
  const list = createProblemList();
  const agents = [of('local'), of('twin')];
  const hub = [{ code: 'DISK_FULL' as const, level: 'warn' as const, message: 'Less than 5 %.' }];
  list({ agents, hub }, new Date(EARLIER));
  const found = list({ agents, hub }, new Date(NOW));
  expect(shown(found)).toEqual([{ ...(hub[0] as Problem), since: EARLIER }] as never);
  expect(list({ agents, hub: [] }, new Date(NOW))).toEqual([]);
});

const DOWN = { address: '127.0.0.1:8000', latencyMs: null, lastChecked: NOW, unknown: null };
/** A site with upstreams, of which the first is down. */
const downSite = (id: number, since: string, ...others: Partial<Upstream>[]): VhostState =>
  vhostState({
    id,
    domain: `s${id}.example`,
    upstreams: [{}, ...others].map((one) => ({
      ...DOWN,
      up: false,
      since,
      requests: 0,
      fails: 0,
      error: { at: since, message: 'refused' },
      ...one,
    })),
  });
const vhostsOf = (...ids: number[]) => ids.map((id) => ({ id, domain: `s${id}.example` }));

test('one dead upstream of ten sites is one problem that lists them', () => {
  const ids = Array.from({ length: 12 }, (_, at) => at + 11);
  const sites = ids.map((id) => downSite(id, id === 17 ? EARLIER : NOW));
  const other = downSite(30, NOW, { address: '127.0.0.1:9000' });
  const half = downSite(31, NOW, { address: '127.0.0.1:9001', up: true, error: null });
  const names = ids.map((id) => `s${id}.example`);
  const listed = `${names.slice(0, 10).join(', ')} and 2 more`;
  const all = find(of('local', { label: undefined, sites: [...sites, other, half] }));
  expect(all.map(problemLine)).toEqual([
    `bad UPSTREAM_DOWN of ${ids.map((id) => `s${id}.example (${id})`).join(', ')} since ${EARLIER}: 127.0.0.1:8000 does not answer: refused. Sites: ${listed}.`,
    'bad UPSTREAM_DOWN of s30.example (30): 127.0.0.1:8000 and 127.0.0.1:9000 do not answer: refused.',
    'warn UPSTREAM_DOWN of s31.example (31): 127.0.0.1:8000 does not answer: refused.',
  ]);
});

test('in the first minute after a start or a change, sites that nobody has looked at are being checked', async () => {
  const MINUTE = 60_000;
  const seen = downSite(1, NOW);
  const unseen = { ...downSite(2, NOW), checking: true as const };
  const placed = new Set([1, 2]);
  const known = { placed, sites: [seen, unseen] };
  const count = (agents: AgentFacts[], { up = 2 * MINUTE, changed = MINUTE } = {}) =>
    createStatusReader({
      publisher: {
        current: () => EMPTY_SET,
        lastPublish: () => ({ at: new Date(-changed), milliseconds: 1, changes: 1 }),
      } as unknown as Publisher,
      look: async () => ({ agents, disks: [], hub: [] }),
      listProblems: () => [],
      agents: () => [],
      warnings: [],
      version: '',
      commit: null,
      startedAt: -up,
      elapsed: () => 0,
      now: () => new Date(0),
      pace: { checking: MINUTE },
    })().then(({ checking }) => checking);
  const justStarted = { up: MINUTE - 1 };
  expect(await count([of('local', known)])).toBe(0);
  expect(await count([of('local', known)], justStarted)).toBe(1);
  expect(await count([of('local', known)], { changed: MINUTE - 1 })).toBe(1);
  expect(await count([of('local', { placed, sites: null })], justStarted)).toBe(2);
  expect(await count([of('local', { ...known, isCurrent: false })], justStarted)).toBe(2);
  const twin = of('twin', { placed: new Set([2, 3]), sites: [] });
  expect(await count([of('local', known), twin], justStarted)).toBe(2);
  // What is known to be down is not being checked.
  const refused = { vhost: { id: 2 } as Vhost, detail: 'no', ports: [] };
  expect(await count([of('local', { ...known, unserved: [refused] })], justStarted)).toBe(0);
  const down = { ...status, proxy: { running: false, version: null } };
  expect(await count([of('local', { ...known, status: null })], justStarted)).toBe(0);
  expect(await count([of('local', { ...known, status: down })], justStarted)).toBe(0);
});

test('sites whose checks fail in the same way are one problem, and say so while Caddy runs', () => {
  const failing = [11, 12, 13].map((id) => ({
    id,
    domain: `s${id}.example`,
    since: id === 12 ? EARLIER : NOW,
    reason: `GET / answered ${id === 13 ? 503 : 502}`,
  }));
  const alone = { label: undefined, failing };
  expect(find(of('local', alone)).map(problemLine)).toEqual([
    `bad CHECK_FAILING of s11.example (11), s12.example (12) since ${EARLIER}: The check fails: GET / answered 502. Sites: s11.example and s12.example.`,
    'bad CHECK_FAILING of s13.example (13): The check fails: GET / answered 503.',
  ]);
  const down = { ...status, proxy: { running: false, version: null } };
  expect(find(of('local', { ...alone, status: down })).map(({ code }) => code)).toEqual([
    'PROXY_DOWN',
  ]);
});

test('of several agents, those that see the same upstream of the same sites down share it', () => {
  const sites = [downSite(1, NOW), downSite(2, NOW)];
  const found = find(of('local', { sites }), of('twin', { sites }), of('vps', { sites: [] }));
  expect(found).toMatchObject([{ agents: ['local', 'twin'], vhosts: vhostsOf(1, 2) }]);
  expect(found[0]?.message).toBe(
    'local and twin: 127.0.0.1:8000 does not answer: refused. Sites: s1.example and s2.example.',
  );
  expect(find(of('local', { sites }), of('twin', { sites: [downSite(1, NOW)] }))).toMatchObject([
    { agents: ['local', 'twin'], vhost: vhostsOf(1)[0] },
    { agents: ['local'], vhost: vhostsOf(2)[0] },
  ]);
});

test('a name without a certificate that another agent has one for', () => {
  const states = (change: Partial<VhostState['addresses'][number]>) => [
    vhostState({ addresses: [addressState({ name: 'a.example', ...change })] }),
  ];
  const found = find(
    of('local', { sites: states({}) }),
    of('twin', { sites: states({ certificate: null }) }),
  );
  expect(found).toMatchObject([{ code: 'CERTIFICATE_MISSING', agents: ['twin'] }]);
  expect(found[0]?.message).toStartWith(
    'twin: No certificate for a.example: local has a certificate for a.example: if',
  );
});
