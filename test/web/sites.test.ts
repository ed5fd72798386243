/** Filters, drafts, problems and links of sites. */
import { describe, expect, test } from 'bun:test';
import type { SiteState, Status, Vhost } from '../../src/web/lib/types.ts';
import { changesFrom, draftOf, isComplete } from '../../src/web/sites/draft.ts';
import { addressOf, filterSites, readFilter } from '../../src/web/sites/filter.ts';
import { linkTo } from '../../src/web/sites/link.ts';
import { problemOf } from '../../src/web/sites/problem.ts';
import { barsPath } from '../../src/web/sites/spark-bars.ts';

const site = (change: Partial<Vhost> = {}): Vhost => ({
  id: 1,
  domain: 'app.example',
  upstream: '127.0.0.1:8000',
  config: 'reverse_proxy {upstream}',
  enabled: true,
  createdAt: '',
  updatedAt: '',
  ...change,
});
const status = (change: Partial<Status> = {}): Status => ({
  version: '0.1.0',
  commit: null,
  uptimeSeconds: 1,
  agent: { reachable: true, latencyMs: 1 },
  proxy: { running: true, version: '2.6.2' },
  problems: [],
  advisories: [],
  upgrade: null,
  inStep: true,
  foreign: false,
  drift: false,
  restartNeeded: false,
  lastPublish: null,
  warnings: [],
  broken: [],
  certificates: [],
  ...change,
});
const upstream = { address: 'x', up: false, requests: 0, fails: 1, error: null };
const state = (change: Partial<SiteState> = {}): SiteState => ({
  id: 1,
  domain: 'app.example',
  enabled: true,
  problem: null,
  addresses: [],
  upstreams: [],
  errors: { acme: null, upstream: null },
  ...change,
});
const address = { name: 'app.example', port: 443, served: true, tls: true, automated: true };

describe('the filter of the list', () => {
  test('ignores unknown values in an address', () => {
    expect(readFilter(new URLSearchParams('show=<b>&x=1'))).toEqual({ search: '', shown: 'all' });
    expect(addressOf({ search: '', shown: 'all' })).toBe('/');
  });

  test('survives the way through an address', () => {
    for (const filter of [
      { search: 'a b&c=d', shown: 'off' },
      { search: '<img>', shown: 'problems' },
    ] as const) {
      expect(readFilter(new URL(`http://hub${addressOf(filter)}`).searchParams)).toEqual(filter);
    }
  });

  test('requires every word, in any case, in domain or upstream', () => {
    const sites = [site(), site({ id: 2, domain: 'b.example', upstream: '' })];
    const found = (search: string) =>
      filterSites(sites, { search, shown: 'all' }, () => false).map(({ id }) => id);
    expect(found('EXAMPLE 8000')).toEqual([1]);
    expect(found('example nothing')).toEqual([]);
    expect(found(' ')).toEqual([1, 2]);
  });
});

test('only changed fields are sent, so that others’ changes survive', () => {
  const base = draftOf(site());
  expect(changesFrom(base, { ...base, config: 'respond x' })).toEqual({ config: 'respond x' });
  expect(changesFrom(base, base)).toEqual({});
});

test('an incomplete form is not checked', () => {
  const draft = draftOf(site());
  expect(isComplete({ ...draft, upstream: ' ' })).toBe(false);
  expect(isComplete({ ...draft, domain: '' })).toBe(false);
  expect(isComplete({ ...draft, upstream: '', config: 'respond x' })).toBe(true);
});

describe('the problem of a site', () => {
  test('of a site that is off is only a refused config', () => {
    const down = state({ upstreams: [upstream] });
    expect(problemOf(site({ enabled: false }), status(), down)).toBeNull();
    const broken = [{ id: 1, domain: 'app.example', detail: 'line 1: no' }];
    expect(problemOf(site({ enabled: false }), status({ broken }), down)?.label).toBe('refused');
  });

  test.each([
    ['no certificate', { addresses: [{ ...address, certificate: null, reason: 'none yet' }] }],
    [
      'expired',
      {
        addresses: [
          { ...address, reason: null, certificate: { issuer: 'x', notAfter: '', daysLeft: -1 } },
        ],
      },
    ],
    ['down', { upstreams: [upstream] }],
    [
      'partly down',
      {
        upstreams: [upstream, { ...upstream, address: 'y', up: true }],
      },
    ],
  ] as const)('%s', (label, change) => {
    expect(problemOf(site(), status(), state(change as unknown as Partial<SiteState>))?.label).toBe(
      label,
    );
  });

  test('is null if all is well, or nothing is known', () => {
    expect(problemOf(site(), null, undefined)).toBeNull();
    expect(problemOf(site(), status(), state())).toBeNull();
  });
});

describe('a link to a site', () => {
  test.each([
    [{ ...address, served: false }, null],
    [{ ...address, name: '' }, null],
    [{ ...address, name: '*.example' }, null],
    [address, 'https://app.example/'],
    [{ ...address, port: 8443 }, 'https://app.example:8443/'],
    [{ ...address, tls: false, port: 80 }, 'http://app.example/'],
    [{ ...address, tls: false, port: 443 }, 'http://app.example:443/'],
    [{ ...address, name: '::1', port: 8443 }, 'https://[::1]:8443/'],
  ])('%o', (given, link) => {
    expect(linkTo(given)).toBe(link);
  });
});

test('a single request is visible next to a thousand; zero requests are not', () => {
  const path = barsPath([0, 1, 1000], 1000);
  expect(path.match(/M/g)?.length).toBe(2);
  expect(path).toContain('v-1.5');
  expect(barsPath([0, 0], 0)).toBe('');
});
