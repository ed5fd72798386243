/** Which problems follow from the facts of several agents. */
import { expect, test } from 'bun:test';
import type { AgentFacts } from '../../../src/hub/watch/agent-facts.ts';
import type { Problem } from '../../../src/hub/watch/problem.ts';
import { createProblemList } from '../../../src/hub/watch/problem-list.ts';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';

const [EARLIER, NOW] = ['2026-11-20T17:00:00.000Z', '2026-11-20T18:00:00.000Z'];
const status = {
  ...{ proxy: { running: true, version: '2.6.2' }, foreign: false, drift: false },
  ...{ restartNeeded: false, closed: [], liveDigest: null, fileDigest: null },
  ...{ owner: null, warnings: [] },
};
const of = (name: string, change: Partial<AgentFacts> = {}, now = NOW): AgentFacts => ({
  ...{ id: 1, name, label: name, now, status, latencyMs: 1, agentFault: null, inStep: true },
  ...{ serving: null, lag: { since: null, paused: false }, rejection: null, ownership: null },
  ...{ unserved: [], sites: [], certificates: [], knowsEnding: true, placed: new Set() },
  ...{ advisories: { count: 0, cure: '' }, warnings: [], ...change },
});
const find = (...agents: AgentFacts[]) => createProblemList()({ agents, hub: [] }, new Date(NOW));
const LACKS = 'Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';

test('all is well', () => {
  expect(find(of('local'), of('twin'))).toEqual([]);
});

test.each<[string, Partial<AgentFacts>, object]>([
  [
    'one that obeys another hub',
    { ownership: 'Another hub publishes to this Caddy.' },
    { code: 'FOREIGN', level: 'warn', message: 'twin: Another hub publishes to this Caddy.' },
  ],
  [
    'one whose proxy refuses all',
    { inStep: false, rejection: 'line 1: no', lag: { since: EARLIER, paused: false } },
    { code: 'NOT_IN_STEP', message: `twin: The stored state is not live: line 1: no. ${LACKS}` },
  ],
  [
    'one that lacks a change',
    { inStep: false, lag: { since: EARLIER, paused: false } },
    {
      ...{ code: 'NOT_IN_STEP', level: 'bad', since: EARLIER },
      message: `twin: ${LACKS} signalbox is publishing them.`,
    },
  ],
  [
    'one that serves something else',
    { inStep: false },
    {
      code: 'NOT_IN_STEP',
      level: 'warn',
      message: expect.stringContaining('twin: Caddy does not'),
    },
  ],
])('%s', (_, change, problem) => {
  const found = find(of('local'), of('twin', change));
  expect(found).toMatchObject([{ agents: ['twin'], ...problem }]);
});

test('what several of them have in common is one problem, as old as its first part', () => {
  const list = createProblemList();
  const drift = { status: { ...status, drift: true } };
  list({ agents: [of('local'), of('twin', drift, EARLIER)], hub: [] }, new Date(NOW));
  const found = list({ agents: [of('local', drift), of('twin', drift)], hub: [] }, new Date(NOW));
  expect(found).toMatchObject([{ code: 'DRIFT', agents: ['local', 'twin'], since: EARLIER }]);
  expect(found[0]?.message).toStartWith('local and twin: The Caddyfile on disk was edited');
});

test('what is wrong with the hub itself belongs to no agent, and is as old as when it was found', () => {
  const list = createProblemList();
  const agents = [of('local'), of('twin')];
  const hub = [{ code: 'DISK_FULL' as const, level: 'warn' as const, message: 'Less than 5 %.' }];
  list({ agents, hub }, new Date(EARLIER));
  const found = list({ agents, hub }, new Date(NOW));
  expect(found).toEqual([{ ...(hub[0] as Problem), since: EARLIER }]);
  expect(list({ agents, hub: [] }, new Date(NOW))).toEqual([]);
});

test('a name without a certificate that another agent has one for', () => {
  const address = {
    ...{ name: 'a.example', port: 443, served: true, tls: true, reason: 'none', checkedAt: NOW },
    ...{ automated: true, authority: 'public' as const, advice: null },
  };
  const states = (certificate: VhostState['addresses'][number]['certificate']): VhostState[] => [
    {
      ...{ id: 1, domain: 'a.example', enabled: true, problem: null, upstreams: [], warnings: [] },
      ...{ addresses: [{ ...address, certificate }], errors: { acme: null, upstream: null } },
    },
  ];
  const certificate = {
    ...{ issuer: 'R11', names: [], fingerprint: '', daysLeft: 1 },
    ...{ notBefore: EARLIER, notAfter: NOW },
  };
  const found = find(
    of('local', { sites: states(certificate) }),
    of('twin', { sites: states(null) }),
  );
  expect(found).toMatchObject([{ code: 'CERTIFICATE_MISSING', agents: ['twin'] }]);
  expect(found[0]?.message).toStartWith(
    'twin: No certificate for a.example: local has a certificate for a.example: if',
  );
});
