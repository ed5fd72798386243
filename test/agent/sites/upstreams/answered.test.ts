import { expect, test } from 'bun:test';
import type { LiveSite } from '../../../../agent/sites/live-sites.ts';
import { createAnswered } from '../../../../agent/sites/upstreams/site-upstreams.ts';

const AT = '2026-11-20T18:00:00.000Z';
const site = (name: string, change: Partial<LiveSite> = {}): LiveSite => ({
  name,
  ports: [80],
  listeners: [],
  tls: null,
  upstreams: [{ address: 'a:1', checked: false, dial: null, unknown: '' }],
  alone: true,
  ...change,
});
const entry = (status: number) => ({
  timestamp: AT,
  domain: 'x',
  method: 'GET',
  path: '/',
  status,
  latency: '1ms',
  ip: '::1',
});

test.each<[string, LiveSite[], number]>([
  ['a failure', [site('a')], 502],
  ['a redirect, which Caddy makes itself', [site('a')], 308],
  ['a status that Caddy may have set', [site('a')], 404],
  ['any host', [site('')], 200],
  ['a wildcard', [site('*.a')], 200],
  ['a site that answers otherwise, too', [site('a', { alone: false })], 200],
  [
    'a site with two upstreams',
    [site('a', { upstreams: [...site('a').upstreams, ...site('a').upstreams] })],
    200,
  ],
  ['a name on two servers', [site('a'), site('a', { ports: [81] })], 200],
])('%s says nothing', async (_, sites, status) => {
  const { refresh, last } = createAnswered(async () => entry(status));
  await refresh(sites, sites);
  expect(sites.map(last)).toEqual(sites.map(() => null));
});

test('a log that cannot be read says nothing', async () => {
  const { refresh, last } = createAnswered(() => Promise.reject(new Error('gone')));
  await refresh([site('a')], [site('a')]);
  expect(last(site('a'))).toBeNull();
});

test('a success counts, of a hundred sites at a time, in turn', async () => {
  const asked: string[] = [];
  const { refresh, last } = createAnswered(async (host) => {
    asked.push(host);
    return entry(200);
  });
  const sites = Array.from({ length: 150 }, (_, i) => site(`${i}.example`));
  await refresh(sites, sites);
  expect(asked.length).toBe(100);
  await refresh(sites, sites);
  expect(sites.map(last)).toEqual(sites.map(() => Date.parse(AT)));
  await refresh([], []);
  expect(last(site('0.example'))).toBeNull();
});
