/** Which problems follow from the facts of several agents. */
import { expect, test } from 'bun:test';
import type { AgentFacts } from '../../../src/hub/watch/agent-facts.ts';
import type { Finding } from '../../../src/hub/watch/problem.ts';
import { createProblems } from '../../../src/hub/watch/problem-list.ts';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';

const [EARLIER, NOW] = ['2026-11-20T17:00:00.000Z', '2026-11-20T18:00:00.000Z'];
const status = {
  ...{ proxy: { running: true, version: '2.6.2' }, foreign: false, drift: false },
  ...{ restartNeeded: false, closed: [], liveDigest: null, fileDigest: null },
};
const of = (name: string, change: Partial<AgentFacts['facts']> = {}, now = NOW): AgentFacts => ({
  ...{ id: 1, name, status: null, latencyMs: 1, inStep: true, serving: null, states: [] },
  ...{ unserved: [], ending: [], knowsEnding: true, placed: new Set(), warnings: [], more: [] },
  facts: {
    ...{ now, status, agentFault: null, inStep: true, lag: { since: null, paused: false } },
    ...{ rejection: null, ownership: null, unserved: [], certificates: [] },
    ...{ advisories: { count: 0, cure: '' }, warnings: [], ...change },
  },
});
const several = { isOnly: false, now: new Date(NOW) };
const find = (...all: AgentFacts[]) => createProblems()(all, [], several);
const LACKS = 'Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';

test('all is well', () => {
  expect(find(of('local'), of('twin'))).toEqual([]);
});

test.each<[string, Partial<AgentFacts['facts']>, object]>([
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
  const problems = createProblems();
  const drift = { status: { ...status, drift: true } };
  problems([of('local'), of('twin', drift, EARLIER)], [], several);
  const found = problems([of('local', drift), of('twin', drift)], [], several);
  expect(found).toMatchObject([{ code: 'DRIFT', agents: ['local', 'twin'], since: EARLIER }]);
  expect(found[0]?.message).toStartWith('local and twin: The Caddyfile on disk was edited');
});

test('what is wrong with the hub itself belongs to no agent, and is as old as when it was found', () => {
  const problems = createProblems();
  const hub = [{ code: 'DISK_FULL' as const, level: 'warn' as const, message: 'Less than 5 %.' }];
  const earlier = { isOnly: false, now: new Date(EARLIER), hub };
  problems([of('local'), of('twin')], [], earlier);
  const found = problems([of('local'), of('twin')], [], { ...several, hub });
  expect(found).toEqual([{ ...(hub[0] as Finding), since: EARLIER }]);
  expect(problems([of('local'), of('twin')], [], several)).toEqual([]);
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
    { ...of('local'), states: states(certificate) },
    { ...of('twin'), states: states(null) },
  );
  expect(found).toMatchObject([{ code: 'CERTIFICATE_MISSING', agents: ['twin'] }]);
  expect(found[0]?.message).toStartWith(
    'twin: No certificate for a.example: local has a certificate for a.example: if',
  );
});

test('what the hub itself has to say is about no agent', () => {
  const found = createProblems()([of('local'), of('twin')], ['The connection is plain'], several);
  expect(found).toEqual([
    { code: 'WARNING', level: 'warn', since: NOW, message: 'The connection is plain.' },
  ]);
});
