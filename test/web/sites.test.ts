/** Filters, drafts, problems and links of sites. */
import { describe, expect, test } from 'bun:test';
import { unreachedReason } from '../../src/features/containers/web/container-dialog.tsx';
import { tidied } from '../../src/web/lib/check.ts';
import { linkTo } from '../../src/web/lib/link.ts';
import type { Activity, Problem, SiteState, Status, Vhost } from '../../src/web/lib/types.ts';
import { barsPath } from '../../src/web/parts/bars.ts';
import type { StripProps } from '../../src/web/parts/strip-words.ts';
import {
  changesFrom,
  draftOf,
  isComplete,
  isLive,
  outcomeOf,
} from '../../src/web/sites/form/draft.ts';
import {
  furtherNames,
  isShown,
  NO_FILTER,
  queryOf,
  readFilter,
  searchRows,
} from '../../src/web/sites/list/filter.ts';
import {
  type COLUMNS,
  directionOf,
  groupedLines,
  keyOfLine,
  type Row,
  reasonOf,
  rowOf,
  sharedReasons,
  sortRows,
  USUAL,
} from '../../src/web/sites/list/rows.ts';
import { healthOf, outagesIn, reportedProblems, servedOf } from '../../src/web/sites/problem.ts';
import { addressState, vhostState as state } from '../harness/facts.ts';
import { agent, site, status } from './samples.ts';

const address = addressState({ certificate: null });
/** The state of a site that Caddy serves. */
const servedState = (change: object = {}): SiteState => state({ addresses: [address], ...change });

const nothing = { reported: new Map(), states: new Map(), activity: new Map(), strips: new Map() };
const rows = (...sites: Vhost[]) => sites.map((one) => rowOf(one, nothing));
const ids = (found: readonly { site: Vhost }[]) => found.map(({ site: { id } }) => id);

describe('the filter of the list', () => {
  test('ignores unknown values in an address', () => {
    const usual = { ...NO_FILTER, order: USUAL, isGrouped: false };
    for (const query of ['show=<b>&x=1', 'sort=<b>', 'sort=-', 'sort=--site', '']) {
      expect(readFilter(new URLSearchParams(query))).toEqual(usual);
    }
    expect(queryOf(usual)).toBe('');
  });

  test('survives the way through an address', () => {
    const labels = {
      tag: 'a&b=<i>',
      policy: 'lan-only',
      agent: 'vps',
      source: 'containers/nas',
      isGrouped: false,
    };
    for (const filter of [
      {
        search: 'a b&c=d',
        shown: 'off',
        order: { column: 'latency', isReversed: true },
        ...labels,
      },
      {
        search: '<img>',
        shown: 'problems',
        order: { column: 'site', isReversed: false },
        ...labels,
      },
      { ...NO_FILTER, order: { column: 'state', isReversed: true }, isGrouped: true },
    ] as const) {
      expect(readFilter(new URL(`http://hub/${queryOf(filter)}`).searchParams)).toEqual(filter);
    }
  });

  test('requires every word, in any case, in domain, upstream, a policy or a tag', () => {
    const all = rows(site(), site({ id: 2, domain: 'b.example', upstream: '' }));
    expect(ids(searchRows(all, { ...NO_FILTER, search: 'EXAMPLE 8000' }))).toEqual([1]);
    expect(ids(searchRows(all, { ...NO_FILTER, search: 'example nothing' }))).toEqual([]);
    expect(ids(searchRows(all, { ...NO_FILTER, search: ' ' }))).toEqual([1, 2]);
    const labelled = rows(site({ policies: ['lan-only'], tags: ['Media'] }), site({ id: 2 }));
    expect(ids(searchRows(labelled, { ...NO_FILTER, search: 'lan media' }))).toEqual([1]);
  });

  test('finds a site by each of its names, and shows the one that it found', () => {
    const names = { domain: 'a.lan', addresses: ['a.lan', 'http://B.lan:8080', 'c.lan'] };
    const all = rows(site({ id: 2, domain: 'b.example' }), site(names));
    expect(ids(searchRows(all, { ...NO_FILTER, search: 'b.lan' }))).toEqual([1]);
    expect(ids(searchRows(all, { ...NO_FILTER, search: 'd.lan' }))).toEqual([]);
    expect(furtherNames(site(names), 'b.LAN')).toBe('+ http://B.lan:8080 and 1 more');
    expect(furtherNames(site(names), 'a.lan')).toBe('+ 2 names');
    expect(furtherNames(site({ addresses: ['a.lan', 'b.lan'] }), '')).toBe('+ b.lan');
    expect(furtherNames(site(), 'app')).toBe('');
  });

  test('shows only sites with a tag or a policy, not those whose names are similar', () => {
    const all = rows(
      site({ tags: ['media', 'tv'], policies: ['lan'] }),
      site({ id: 2, tags: ['media-old'], policies: ['lan-only'] }),
    );
    expect(ids(searchRows(all, { ...NO_FILTER, tag: 'medi' }))).toEqual([]);
    expect(ids(searchRows(all, { ...NO_FILTER, tag: 'media' }))).toEqual([1]);
    expect(ids(searchRows(all, { ...NO_FILTER, policy: 'lan-only' }))).toEqual([2]);
    const guarded = [1, 2];
    expect(ids(searchRows(all, { ...NO_FILTER, policy: 'wide', guarded }))).toEqual([1, 2]);
    expect(ids(searchRows(all, { ...NO_FILTER, tag: 'tv', policy: 'lan-only' }))).toEqual([]);
  });

  test('shows the sites that a proxy serves: those placed on it, and those on all', () => {
    const found = rows(
      site({ id: 1 }),
      site({ id: 2, agents: ['vps'] }),
      site({ id: 3, agents: ['local', 'vps-2'] }),
    );
    expect(ids(searchRows(found, { ...NO_FILTER, agent: 'vps' }))).toEqual([1, 2]);
    expect(ids(searchRows(found, { ...NO_FILTER, agent: 'gone' }))).toEqual([1]);
  });

  test('shows only the sites of a source, not those of people or of one whose name is similar', () => {
    const sources = [null, 'home', 'home-2', 'containers/nas'];
    const found = rows(...sources.map((source, at) => site({ id: at + 1, source })));
    expect(ids(searchRows(found, { ...NO_FILTER, source: 'hom' }))).toEqual([]);
    expect(ids(searchRows(found, { ...NO_FILTER, source: 'null' }))).toEqual([]);
    expect(ids(searchRows(found, { ...NO_FILTER, source: 'home' }))).toEqual([2]);
    expect(ids(searchRows(found, { ...NO_FILTER, source: 'containers/nas' }))).toEqual([4]);
  });

  test('groups by tag: a site is under each of its tags, and those without come last', () => {
    const all = rows(
      site({ id: 3 }),
      site({ tags: ['tv', 'media'] }),
      site({ id: 2, tags: ['media'] }),
    );
    const lines = groupedLines(all);
    expect(
      lines.map((line) => (line.kind === 'tag' ? `${line.tag} ${line.count}` : line.row.site.id)),
    ).toEqual(['media 2', 1, 2, 'tv 1', 1, 'null 1', 3]);
    expect(new Set(lines.map(keyOfLine)).size).toBe(lines.length);
    expect(groupedLines([])).toEqual([]);
  });

  test('shows sites that are on, off, or have a problem', () => {
    const [on, off] = rows(site(), site({ enabled: false }));
    if (!on || !off) throw new Error('no rows');
    const health = { level: 'warn', label: '', text: '' } as const;
    expect([isShown(on, 'off'), isShown(off, 'on'), isShown(on, 'problems')]).not.toContain(true);
    expect([isShown(on, 'on'), isShown(off, 'off'), isShown(off, 'all')]).not.toContain(false);
    expect(isShown({ ...off, health }, 'problems')).toBe(true);
  });
});

describe('the order of the list', () => {
  const activity = (id: number, requests: number, p95: number): [number, Activity] => [
    id,
    { id, hosts: [], requests: [requests], status4xx: [0], status5xx: [0], p95 },
  ];
  const strip = (id: number, bars: string): [number, StripProps] => [
    id,
    { bars, changes: [], label: '', from: '', to: '' },
  ];
  const facts = {
    reported: new Map([[3, { level: 'bad', label: 'down', text: 'x' } as const]]),
    states: new Map([[1, servedState()]]),
    activity: new Map([activity(1, 5, 900), activity(2, 70, 3)]),
    strips: new Map([strip(2, 'uu'), strip(4, 'ff'), strip(1, 'uf')]),
  };
  const all = [
    site({ id: 1, domain: 'site10.example', upstream: '' }),
    site({ id: 2, domain: 'http://site9.example', upstream: 'b' }),
    site({ id: 3, domain: 'b.example', upstream: 'a', enabled: true }),
    site({ id: 4, domain: 'c.example', upstream: 'c', enabled: false }),
  ].map((one) => rowOf(one, facts));

  test('is that of Caddy among equals, and what is missing comes last in both directions', () => {
    const sorted = (column: (typeof COLUMNS)[number], isReversed: boolean) =>
      ids(sortRows(all, { column, isReversed }));
    expect(sorted('history', false)).toEqual([4, 1, 2, 3]);
    expect(sorted('history', true)).toEqual([2, 1, 4, 3]);
    expect(sorted('upstream', true)).toEqual([4, 2, 3, 1]);
  });

  test.each([
    ['state', [3, 2, 1, 4], 'ascending'],
    ['site', [3, 4, 2, 1], 'ascending'],
    ['upstream', [3, 2, 4, 1], 'ascending'],
    ['requests', [2, 1, 3, 4], 'descending'],
    ['latency', [1, 2, 3, 4], 'descending'],
    ['history', [4, 1, 2, 3], 'descending'],
  ] as const)('by %s', (column, order, direction) => {
    expect(ids(sortRows(all, { column, isReversed: false }))).toEqual([...order]);
    expect(directionOf({ column, isReversed: false })).toBe(direction);
    expect(directionOf({ column, isReversed: true })).not.toBe(direction);
  });
});

test('a reason that three sites share is said once, unless somebody knows of it', () => {
  const found = ['a', 'a', 'known', 'known', 'known', 'b', 'b', 'b', ''].map((text, at) => {
    const level = text === 'known' ? 'off' : 'bad';
    const [row] = rows(site({ id: at }));
    return { ...row, health: { level, label: '', text } } as Row;
  });
  expect([...sharedReasons(found)]).toEqual([['b', 3]]);
  expect(found.map(reasonOf).join()).toBe('a,a,,,,b,b,b,');
});

test('only changed fields are sent, so that others’ changes survive', () => {
  const base = draftOf(site());
  expect(changesFrom(base, { ...base, config: 'respond x' })).toEqual({ config: 'respond x' });
  expect(changesFrom(base, base)).toEqual({});
});

test('a check has changed if its fields differ, in whatever order they come', () => {
  const stored = draftOf(site({ check: { within: 2, status: 200, path: '/' } }));
  const same = { ...stored, check: tidied({ path: '/', status: 200, within: 2 }) };
  expect(changesFrom(stored, same)).toEqual({});
  const check = tidied({ path: '/', status: undefined, within: 2 });
  expect(changesFrom(stored, { ...stored, check })).toEqual({ check: { path: '/', within: 2 } });
  expect(changesFrom(stored, { ...stored, check: null })).toEqual({ check: null });
});

test('an incomplete form is not checked', () => {
  const draft = draftOf(site());
  expect(isComplete({ ...draft, upstream: ' ' })).toBe(false);
  expect(isComplete({ ...draft, domain: '' })).toBe(false);
  expect(isComplete({ ...draft, upstream: '', config: 'respond x' })).toBe(true);
});

test('a saved site is live, but what a visitor would notice is said with it', () => {
  const warnings = ['a:1 does not answer', 'b:1 does not answer: connection refused.'];
  const changed = {
    ...site(),
    warnings: warnings.map((message) => ({ code: 'UPSTREAM_DOWN', message })),
  };
  const unreachable = { code: 'NOT_SERVED', message: ':80 is not open' };
  expect(isLive({ ...site(), warnings: [unreachable] })).toBe(false);
  expect([isLive({ enabled: false }), isLive({ ...site(), warnings: [] })]).toEqual([false, true]);
  expect(outcomeOf('It is live', { ...site(), warnings: [] })).toEqual({
    kind: 'success',
    text: 'It is live.',
  });
  expect(outcomeOf('It is live', changed)).toEqual({
    kind: 'warning',
    text: 'It is live. a:1 does not answer. b:1 does not answer: connection refused.',
  });
  const cure = { words: 'Start the service.', operation: null };
  const refused = { code: 'UPSTREAM_REFUSED', message: 'Nothing listens at a:1.', cure };
  expect(outcomeOf('Saved', { ...site(), warnings: [refused], behind: ['vps'] }).text).toBe(
    'Saved, but not on vps yet. Nothing listens at a:1. Start the service.',
  );
  expect(outcomeOf('Saved', { ...site(), warnings: [], behind: ['vps'] })).toEqual({
    kind: 'warning',
    text: 'Saved, but not on vps yet.',
  });
});

describe('the problem of a site', () => {
  const broken = [{ id: 1, domain: 'app.example', detail: 'line 1: no' }];

  test('of a site that is off is only a refused config', () => {
    const off = site({ enabled: false });
    expect(healthOf(off, { level: 'warn', label: 'x', text: 'x' }, state()).level).toBe('off');
    const reported = reportedProblems(status({ broken })).get(1);
    expect(healthOf(off, reported, state()).label).toBe('refused');
  });

  test.each([
    ['no certificate', 'CERTIFICATE_MISSING', 'bad'],
    ['expired', 'CERTIFICATE_EXPIRED', 'bad'],
    ['down', 'UPSTREAM_DOWN', 'bad'],
    ['partly down', 'UPSTREAM_DOWN', 'warn'],
  ] as const)('%s', (label, code, level) => {
    const vhost = { id: 1, domain: 'app.example' };
    const problems = [{ key: '', code, level, vhost, since: '', message: 'why' }];
    const reported = reportedProblems(status({ problems })).get(1);
    expect(healthOf(site(), reported, state())).toEqual({ level, label, text: 'why' });
  });

  test('is that which several sites share, for each of them', () => {
    const vhosts = [1, 2].map((id) => ({ id, domain: `s${id}.example` }));
    const shared = { key: '', code: 'UPSTREAM_DOWN', level: 'bad', vhosts } as const;
    const reported = reportedProblems(
      status({ problems: [{ ...shared, since: '', message: 'why' }] }),
    );
    const down = { level: 'bad', label: 'down', text: 'why' } as const;
    expect([...reported]).toEqual([
      [1, down],
      [2, down],
    ]);
  });

  test('is the worst that the status reports, in its words', () => {
    const problem = { level: 'bad', since: '', message: 'nobody answers' } as const;
    const problems = [
      { ...problem, code: 'AGENT_UNREACHABLE' },
      { ...problem, code: 'UPSTREAM_DOWN', vhost: { id: 1, domain: 'app.example' } },
      { ...problem, code: 'SOMETHING_NEW', vhost: { id: 2, domain: 'b' }, message: 'new' },
    ];
    const reported = reportedProblems({ ...status({ broken }), problems } as unknown as Status);
    expect([...reported]).toEqual([
      [1, { level: 'bad', label: 'down', text: 'nobody answers' }],
      [2, { level: 'bad', label: 'problem', text: 'new' }],
    ]);
  });

  test('is that of a proxy that does not serve it, by name', () => {
    const agents = [agent(), agent({ name: 'twin' }), agent({ name: 'vps' })];
    const seen = (problems: Partial<Problem>[], more: Partial<Status> = {}) => {
      const said = problems.map((one) => ({ level: 'bad', since: '', message: 'why', ...one }));
      return { ...status({ agents, ...more }), problems: said } as Status;
    };
    const of = (found: Status, one = site(), change: Partial<SiteState> = {}) => {
      const reported = reportedProblems(found).get(one.id);
      const { level, label, text } = healthOf(one, reported, servedState(change), outagesIn(found));
      return `${level}: ${label}${text && `, ${text}`}`;
    };
    const gone = seen([{ code: 'PROXY_DOWN', agents: ['twin'] }]);
    expect(of(gone)).toBe('bad: down on twin, why');
    expect(of(gone, site({ agents: ['twin', 'vps'] }))).toBe('bad: down on twin, why');
    expect(of(gone, site({ agents: ['twin'] }))).toBe('bad: down, why');
    expect(of(gone, site({ agents: ['local'] }))).toBe('good: live');
    expect(of(gone, site({ enabled: false }))).toBe('off: off');
    const vhost = { id: 1, domain: 'app.example' };
    const two = { code: 'AGENT_UNREACHABLE' as const, agents: ['vps'] };
    const refused = { code: 'VHOST_BROKEN' as const, agents: ['local'], vhost };
    // Without its agent, nobody knows whether Caddy serves it there.
    expect(of(seen([two]))).toBe('unknown: not known on vps, why');
    expect(of(seen([two]), site({ agents: ['vps'] }))).toBe('unknown: not known, why');
    expect(of(seen([{ ...two, known: { until: null, by: 'Ada' } }]))).toBe(
      'off: not known on vps, why',
    );
    const silent = { downOn: ['vps'], missing: ['vps'] };
    expect(of(seen([]), site(), silent)).toBe('unknown: not known on vps');
    expect(of(seen([{ code: 'PROXY_DOWN', agents: ['vps'] }]), site(), silent)).toBe(
      'bad: down on vps, why',
    );
    expect(of(seen([{ ...two, message: 'gone.' }, refused]))).toBe('bad: down on local, why gone.');
    const bare = {
      code: 'CERTIFICATE_MISSING' as const,
      agents: ['local'],
      vhost,
      message: 'none.',
    };
    expect(of(seen([two, bare]))).toBe('bad: no certificate, none. why');
    // The upstream is dead on the others: then it is down everywhere, for both reasons.
    const upstream = { code: 'UPSTREAM_DOWN' as const, agents: ['local', 'vps'], vhost };
    expect(of(seen([{ code: 'PROXY_DOWN', agents: ['twin'], message: 'dead.' }, upstream]))).toBe(
      'bad: down, why dead.',
    );
    expect(of(seen([refused]))).toBe('bad: down on local, why');
    expect(of(seen([{ ...refused, agents: ['local', 'twin', 'vps'] }]))).toBe('bad: refused, why');
    const broken = [{ ...vhost, agents: ['vps'], detail: ':80 is not open' }];
    const held = seen([{ code: 'PORT_HELD', agents: ['vps'] }], { broken });
    expect(of(held)).toBe('bad: down on vps, :80 is not open');
    expect(of(held, site({ agents: ['vps'] }))).toBe('bad: port taken, :80 is not open');
    expect(of(seen([]), site(), { downOn: ['vps'] })).toBe('bad: down on vps');
    const known = { until: null, by: 'Ada' };
    const off = 'down on twin, known, why';
    expect(of(seen([{ code: 'PROXY_DOWN', agents: ['twin'], known }]))).toBe(`off: ${off}`);
    expect(of(seen([refused, { code: 'PROXY_DOWN', agents: ['twin'], known }]))).toBe(
      'bad: down on local, twin, why',
    );
    expect(of(seen([{ code: 'UPSTREAM_DOWN', vhost, known }]))).toBe('off: down, known, why');
    const only = { agents: [agent()] };
    expect(of(seen([{ code: 'PROXY_DOWN' }], only))).toBe('bad: down, why');
    expect(of(seen([{ code: 'AGENT_UNREACHABLE' }], only), site(), { addresses: [] })).toBe(
      'unknown: not known',
    );
  });

  test('is above that of sites which other proxies still serve', () => {
    const agents = [agent(), agent({ name: 'twin' })];
    const problems = [
      { code: 'PROXY_DOWN', agents: ['twin'] },
      { code: 'UPSTREAM_DOWN', agents: ['local'], vhost: { id: 3, domain: 'c.example' } },
      { code: 'UPSTREAM_DOWN', level: 'warn', vhost: { id: 4, domain: 'd.example' } },
    ].map((one) => ({ level: 'bad', since: '', message: 'why', ...one }));
    const found = { ...status({ agents }), problems } as unknown as Status;
    const facts = { ...nothing, outages: outagesIn(found), reported: reportedProblems(found) };
    const all = [1, 2, 3].map((id) => rowOf(site({ id }), facts));
    all.push(rowOf(site({ id: 4, agents: ['local'] }), facts));
    const sorted = (isReversed: boolean) => ids(sortRows(all, { column: 'state', isReversed }));
    expect(sorted(false)).toEqual([3, 1, 2, 4]);
    expect(sorted(true)).toEqual([4, 1, 2, 3]);
  });

  test('is said on its page, and of a proxy that nobody can ask nothing is', () => {
    const of = (change: object, silent: readonly string[] = ['vps']) => {
      const { level, text } = servedOf(servedState(change), silent);
      return `${level}: ${text}`;
    };
    const all = 'Caddy serves this site';
    expect(of({})).toBe(`good: ${all}.`);
    expect(of({ enabled: false })).toBe('unknown: Turned off: Caddy does not serve this site.');
    expect(of({ downOn: ['vps'], missing: ['vps'] })).toBe(
      `unknown: ${all}, but nobody knows whether it does on vps.`,
    );
    expect(of({ downOn: ['vps'], missing: ['vps'], addresses: [] })).toBe(
      'unknown: Nobody knows whether Caddy serves this site.',
    );
    expect(of({ downOn: ['twin', 'vps'], missing: ['twin', 'vps'] })).toBe(
      'bad: Caddy does not serve this site on twin.',
    );
    expect(of({ addresses: [] }, [])).toBe('bad: Caddy does not serve this site.');
  });

  test('is none if all is well, and a site is live only if that is known', () => {
    expect(healthOf(site(), undefined, undefined).level).toBe('unknown');
    const known = servedState();
    expect(healthOf(site(), undefined, known).level).toBe('good');
    const unseen = { ...known, checking: true as const };
    const healthWhile = (checking: number) =>
      healthOf(site(), undefined, unseen, outagesIn(status({ checking }))).label;
    expect([healthWhile(3), healthWhile(0)]).toEqual(['checking', 'live']);
    const notServed = [{ ...address, served: false, certificate: null, reason: null }];
    const gone = servedState({ addresses: notServed });
    expect(healthOf(site(), undefined, gone).level).toBe('unknown');
  });
});

test('the upstreams of a site are those that Caddy has, whichever directive names them', () => {
  const rowWith = (upstream: string, live: string[], more: object = {}) => {
    const upstreams = live.map((one) => ({ address: one }));
    const known = servedState({ upstreams, ...more });
    return rowOf(site({ upstream }), { ...nothing, states: new Map([[1, known]]) });
  };
  const shown = (...given: Parameters<typeof rowWith>) => rowWith(...given).upstreams;
  expect(shown('http://10.0.0.5:80', ['10.0.0.5:80'])).toEqual(['http://10.0.0.5:80']);
  expect(shown('a:1', ['a:1', 'b:2'])).toEqual(['a:1', 'b:2']);
  // A sign-in service, which Caddy asks before.
  expect(shown('http://a:1', ['auth:9', 'a:1'])).toEqual(['a:1', 'auth:9']);
  expect(shown('', ['127.0.0.1:31840'])).toEqual(['127.0.0.1:31840']);
  expect(shown('', [])).toEqual([]);
  expect([shown('', [], { addresses: [] }), rows(site({ upstream: '' }))[0]?.upstreams]).toEqual([
    null,
    null,
  ]);
  expect(rows(site())[0]?.upstreams).toEqual(['127.0.0.1:8000']);
  const php = rowWith('', ['127.0.0.1:31840']);
  expect(ids(searchRows([php], { ...NO_FILTER, search: '31840' }))).toEqual([1]);
  expect(sortRows([...rows(site()), php], { column: 'upstream', isReversed: false })[1]).toBe(php);
});

test.each([
  [{ ...address, served: false }, null],
  [{ ...address, name: '' }, null],
  [{ ...address, name: '*.example' }, null],
  [address, 'https://app.example/'],
  [{ ...address, port: 8443 }, 'https://app.example:8443/'],
  [{ ...address, tls: false, port: 80 }, 'http://app.example/'],
  [{ ...address, tls: false, port: 443 }, 'http://app.example:443/'],
  [{ ...address, name: '::1', port: 8443 }, 'https://[::1]:8443/'],
])('a link to a site: %o', (given, link) => {
  expect(linkTo(given)).toBe(link);
});

test('a single request is visible next to a thousand; zero requests are not', () => {
  const path = barsPath([0, 1, 1000], 1000);
  expect(path.match(/M/g)?.length).toBe(2);
  expect(path).toContain('v-1.5');
  expect(barsPath([0, 0], 0)).toBe('');
});

test('a container is chosen by a port that Caddy reaches; of each other one it is said why not', () => {
  const port = { port: 80, address: null, published: false };
  const one = { addresses: ['10.0.0.5', 'fd00::5'], ports: [port], unreached: 'Publish a port.' };
  expect(unreachedReason(one)).toBe('Publish a port.');
  expect(unreachedReason({ ...one, ports: [], unreached: null })).toBe(
    'It does not say on which port it listens. It is at 10.0.0.5 and fd00::5.',
  );
  expect(unreachedReason({ addresses: [], ports: [], unreached: null })).toBe(
    'It does not say on which port it listens.',
  );
  const ports = [port, { ...port, port: 81, address: '127.0.0.1:8081' }];
  expect(unreachedReason({ ...one, ports, unreached: null })).toBeNull();
});
