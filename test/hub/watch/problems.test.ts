/** Which problems follow from which facts. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  keyOf,
  markOf,
  type Problem,
  ProblemView,
  placeOf,
  worstFirst,
} from '../../../src/hub/watch/problem.ts';
import { dated } from '../../../src/hub/watch/problem-list.ts';
import { type Facts, problemsOf } from '../../../src/hub/watch/problems/agent.ts';
import type { SiteFacts } from '../../../src/hub/watch/problems/sites.ts';
import type { Unserved } from '../../../src/hub/watch/sites/unserved.ts';
import { MOMENT as NOW, problemLine } from '../../harness/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const EARLIER = '2026-11-20T17:00:00.000Z';
const proxy = { running: true, version: '2.6.2' };
const status = { proxy, foreign: false, drift: false, restartNeeded: false, closed: [] };
const facts = (change: Partial<Facts> = {}): Facts => ({
  now: NOW,
  status,
  agentFault: null,
  inStep: true,
  rejection: null,
  ownership: null,
  unserved: [],
  sites: [],
  failing: [],
  certificates: [],
  advisories: { count: 0, cure: 'Install Caddy 3.' },
  warnings: [],
  ...change,
});
const A = { id: 1, domain: 'a.example' };
const site = (change: Partial<SiteFacts> = {}): SiteFacts => ({
  ...A,
  enabled: true,
  addresses: [],
  upstreams: [],
  errors: { acme: null },
  ...change,
});
const vhost = storedVhost(A);
const upstream = { address: '127.0.0.1:4260', up: false, error: null };
const refused = { at: EARLIER, message: 'connection refused' };
const address = { name: 'a.example', tls: true, certificate: null, checkedAt: NOW, reason: 'none' };
const acme = { name: 'a.example', at: EARLIER, message: 'rateLimited', standing: true };
const ending = {
  ...A,
  name: 'a.example',
  issuer: 'x',
  notAfter: '2026-11-25T00:00:00.000Z',
  daysLeft: 4,
  overdue: true,
};
const closed = { address: ':443', port: 443, reason: 'held by nginx (process 7)' };
const waits = (id: number): Unserved => ({
  vhost: { ...vhost, id },
  detail: 'closed',
  ports: [443],
});
const find = (change: Partial<Facts>, since = new Map<string, string>()) =>
  dated(
    problemsOf(facts(change)),
    (one) => one.since ?? since.get(keyOf(one)) ?? NOW,
    (one) => ({ marks: [markOf(one, 'agent 1')], incidents: [] }),
  );

const HOLDER = 'it is held by caddy (pid 812, caddy.service)';
const held = (port: number, wanted: number) => ({ port, wanted, reason: HOLDER, blocked: true });
const free = (port: number) => ({ port, wanted: port, reason: null, blocked: false });
const certified = { ...address, certificate: {} };
const plain = { ...address, tls: false };
const onDemand = { ...address, checkedAt: null, reason: 'on demand' };

describe('there is no problem', () => {
  test.each<[string, Partial<Facts>]>([
    [
      'on ports that somebody chose, although the usual ones are taken',
      { serving: { http: held(9080, 80), https: held(9443, 443), cure: 'sudo kill 9' } },
    ],
    ['if all is well', {}],
    ['if it is not known how the sites are', { sites: null }],
    ['with room on a disk', { disks: [{ id: 'a', holds: ['the log'], free: 0.05 }] }],
    [
      'with an upstream that is up, or of which nothing is known',
      { sites: [site({ upstreams: [true, null].map((up) => ({ ...upstream, up })) })] },
    ],
    [
      'with a disabled site',
      { sites: [site({ enabled: false, upstreams: [upstream], addresses: [address] })] },
    ],
    [
      'with a certificate that is there, not needed, or obtained on demand',
      { sites: [site({ addresses: [certified, plain, onDemand] })] },
    ],
    ['with a certificate that Caddy will renew', { certificates: [{ ...ending, overdue: false }] }],
    [
      'where Caddy listens as it should',
      { serving: { http: free(80), https: free(443), cure: null } },
    ],
  ])('%s', (_, change) => {
    expect(find(change)).toEqual([]);
  });
});

describe('what is not known is left out', () => {
  const unknown = {
    inStep: false,
    sites: [site({ upstreams: [upstream] })],
    advisories: { count: 0, cure: '' },
  };

  test('without the agent', () => {
    const found = find({ ...unknown, status: null });
    expect(found.map(({ code, level }) => [code, level])).toEqual([['AGENT_UNREACHABLE', 'bad']]);
    expect(found[0]?.message).toStartWith('The agent does not answer. Caddy’s state is unknown');
    const [named] = find({ ...unknown, status: null, agentFault: 'The agent rejects the token.' });
    expect(named?.message).toStartWith('The agent rejects the token. Caddy’s state is unknown');
  });

  test('without the proxy', () => {
    const down = { ...status, proxy: { running: false, version: null }, closed: [closed] };
    const found = find({ ...unknown, status: down });
    expect(found.map(({ code, level }) => [code, level])).toEqual([['PROXY_DOWN', 'bad']]);
  });
});

const MISSING = { ...address, advice: { message: 'It is internal' } };

test.each<[string, Partial<Facts>, string]>([
  [
    'a disk that is nearly full',
    { disks: [{ id: 'a', holds: ['the access log', 'the Caddyfile'], free: 0.049 }] },
    'warn DISK_FULL: Less than 5 % is free on the disk that holds the access log and the Caddyfile. Delete files, or enlarge it.',
  ],
  [
    'a vhost that Caddy refuses',
    { unserved: [{ vhost, detail: 'line 1: no', ports: [] }] },
    'bad VHOST_BROKEN of a.example (1): Not served, because Caddy refuses it: line 1: no.',
  ],
  [
    'a port that one site waits for',
    { status: { ...status, closed: [closed] }, unserved: [waits(1)] },
    'bad PORT_HELD of a.example (1): :443 is not open: held by nginx (process 7).',
  ],
  [
    'a port that several sites wait for',
    { status: { ...status, closed: [closed] }, unserved: [waits(1), waits(2)] },
    'bad PORT_HELD: :443 is not open: held by nginx (process 7); 2 sites are not served there.',
  ],
  [
    'a port that no site waits for',
    { status: { ...status, closed: [closed] } },
    'warn PORT_HELD: :443 is not open: held by nginx (process 7).',
  ],
  [
    'ports other than the usual ones',
    { serving: { http: held(8080, 80), https: free(443), cure: 'systemctl disable --now caddy' } },
    `warn PORT_HELD: Caddy listens on port 8080 instead of 80: ${HOLDER}. To change that: systemctl disable --now caddy.`,
  ],
  [
    'a certificate that has expired',
    { certificates: [{ ...ending, daysLeft: -1 }], sites: [site({ errors: { acme } })] },
    `bad CERTIFICATE_EXPIRED of a.example (1) since ${ending.notAfter}: The certificate for a.example has expired and was not renewed: rateLimited.`,
  ],
  [
    'certificates that should have been renewed',
    { certificates: [ending, { ...ending, name: 'b.example' }] },
    'warn CERTIFICATE_ENDING of a.example (1): The certificate for a.example and b.example expires on 2026-11-25 and was not renewed.',
  ],
  [
    'a certificate of hours that should have been renewed, with the hour',
    { certificates: [{ ...ending, daysLeft: 0, notAfter: '2026-11-21T03:04:05.000Z' }] },
    'warn CERTIFICATE_ENDING of a.example (1): The certificate for a.example expires on 2026-11-21 at 03:04 UTC and was not renewed.',
  ],
  [
    'a missing certificate, with the advice, else what the authority said, else the proxy',
    { sites: [site({ addresses: [MISSING] })] },
    'bad CERTIFICATE_MISSING of a.example (1): No certificate for a.example: It is internal.',
  ],
  [
    'a missing certificate that was refused',
    { sites: [site({ addresses: [address], errors: { acme } })] },
    'bad CERTIFICATE_MISSING of a.example (1): No certificate for a.example: rateLimited.',
  ],
  [
    'an upstream that does not answer, since it did not',
    { sites: [site({ upstreams: [{ ...upstream, since: EARLIER, error: refused }] })] },
    `bad UPSTREAM_DOWN of a.example (1) since ${EARLIER}: 127.0.0.1:4260 does not answer: connection refused.`,
  ],
  [
    'some of several upstreams',
    {
      sites: [
        site({ upstreams: [upstream, { ...upstream, address: 'b:1' }, { ...upstream, up: true }] }),
      ],
    },
    'warn UPSTREAM_DOWN of a.example (1): 127.0.0.1:4260 and b:1 do not answer.',
  ],
  [
    'sites that signalbox did not write',
    { status: { ...status, foreign: true }, inStep: false },
    expect.stringMatching(/^warn FOREIGN: /),
  ],
  [
    'another hub',
    { status: { ...status, foreign: true }, ownership: 'Another hub publishes.' },
    'warn FOREIGN: Another hub publishes.',
  ],
  [
    'a set that is not live yet',
    { inStep: false },
    'warn NOT_IN_STEP: Caddy does not serve the stored state. signalbox is publishing it again.',
  ],
  [
    'a set that Caddy refuses',
    { inStep: false, rejection: 'preamble: no' },
    'bad NOT_IN_STEP: The stored state is not live: preamble: no.',
  ],
  [
    'an edited Caddyfile',
    { status: { ...status, drift: true } },
    expect.stringMatching(/^warn DRIFT: /),
  ],
  [
    'a restart that is due',
    { status: { ...status, restartNeeded: true } },
    expect.stringMatching(/^warn RESTART_NEEDED: /),
  ],
  [
    'advisories, all in one',
    { advisories: { count: 5, cure: 'Install Caddy 3.' } },
    'notice ADVISORY: Caddy 2.6.2 has 5 known vulnerabilities. Install Caddy 3.',
  ],
  ['any other warning', { warnings: ['The disk is full'] }, 'warn WARNING: The disk is full.'],
])('one problem follows from %s', (_, change, line) => {
  expect(find(change).map(problemLine)).toEqual([line]);
});

describe('several problems', () => {
  test('come worst first, and then the oldest first', () => {
    const sites = [
      site({ upstreams: [{ ...upstream, since: NOW }] }),
      site({ id: 2, upstreams: [{ ...upstream, since: EARLIER }] }),
    ];
    const found = find({ warnings: ['w'], sites }, new Map([['WARNING w.', '2020-01-01']]));
    expect(found.map(({ code, vhost: of }) => of?.id ?? code)).toEqual([2, 1, 'WARNING']);
  });

  test('come by kind before their age: what takes down all sites before what takes down one', () => {
    const codes = [
      ...(['ADVISORY', 'WARNING', 'DRIFT', 'CERTIFICATE_MISSING', 'UPSTREAM_DOWN'] as const),
      ...(['VHOST_BROKEN', 'NOT_IN_STEP', 'DISK_FULL', 'PORT_HELD'] as const),
      ...(['AGENT_UNREACHABLE', 'PROXY_DOWN'] as const),
    ];
    const all = (['warn', 'bad'] as const).flatMap((level) =>
      codes.map((code, at) => ({ code, level, since: `2026-11-${at + 10}` })),
    );
    const later = { code: 'PROXY_DOWN', level: 'bad', since: '2026-12-01' } as const;
    const sorted = [later, ...all].toSorted(worstFirst).map(({ level, code }) => [level, code]);
    expect<unknown>(sorted).toEqual([
      ['bad', 'PROXY_DOWN'],
      ...codes.toReversed().map((code) => ['bad', code]),
      ...codes.toReversed().map((code) => ['warn', code]),
    ]);
    expect([later, ...all].toSorted(worstFirst)[1]).toBe(later);
  });

  test('come in the order in which the docs list them', async () => {
    const docs = await Bun.file(join(import.meta.dir, '../../../docs/api.md')).text();
    const [, table = ''] = docs.split('\n## Problems\n');
    const codes = [...table.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code ?? '');
    const known: string[] = ProblemView.properties.code.enum;
    expect(codes.slice(0, known.length)).toEqual(known);
  });

  test('keep their time while their words change, each its own', () => {
    const first = find({ unserved: [{ vhost, detail: 'x', ports: [] }], warnings: ['w'] });
    const since = new Map(first.map((one) => [keyOf(one), EARLIER]));
    const unserved = [{ vhost, detail: 'y', ports: [] }];
    const then = find({ unserved, warnings: ['w', 'v'] }, since);
    expect(then.map(({ message, since: at }) => [message, at])).toEqual([
      ['Not served, because Caddy refuses it: y.', EARLIER],
      ['w.', EARLIER],
      ['v.', NOW],
    ]);
  });
});

test('who knows of one failing check, or of one loopback address, knows of no other', () => {
  const failing = (id: number, domain: string): Problem => ({
    code: 'CHECK_FAILING',
    level: 'bad',
    cause: 'GET / answered 502',
    vhost: { id, domain },
    message: 'The check fails: GET / answered 502',
  });
  const marks = [1, 2].flatMap((agent) =>
    [failing(7, 'a.example'), failing(8, 'b.example')].map((one) => markOf(one, placeOf(agent))),
  );
  expect(new Set(marks).size).toBe(4);
  const down = (cause: string): Problem => ({
    code: 'UPSTREAM_DOWN',
    level: 'bad',
    cause,
    vhost: { id: 7, domain: 'a.example' },
    message: `${cause} does not answer`,
  });
  const placesOf = (cause: string) =>
    new Set([1, 2].map((agent) => markOf(down(cause), placeOf(agent)))).size;
  expect([placesOf('127.0.0.1:3000'), placesOf('10.0.0.5:3000')]).toEqual([2, 1]);
});
