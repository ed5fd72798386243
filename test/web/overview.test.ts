/** What the overview and a site's page compute from the hub's answers. */
import { describe, expect, test } from 'bun:test';
import { changeOf, hoursOf, hoursRequest, rangeUntil } from '../../src/web/figures/hours.ts';
import { hostsOf } from '../../src/web/logs/filter/site-names.ts';
import { busiest } from '../../src/web/overview/lists.tsx';
import { site } from './samples.ts';

const NOW = new Date('2026-11-20T18:00:00.900Z');

describe('the change of a number', () => {
  test('is not shown without anything to compare with, or too small to see', () => {
    expect(changeOf(5, 0)).toBe('');
    expect(changeOf(5, null)).toBe('');
    expect(changeOf(null, 5)).toBe('');
    expect(changeOf(1001, 1000)).toBe('');
  });

  test('is in percent, with its sign', () => {
    expect(changeOf(110, 100)).toBe('+10 %');
    expect(changeOf(50, 100)).toBe('−50 %');
    expect(changeOf(0, 100)).toBe('−100 %');
    expect(changeOf(5_000, 100)).toBe('+4,900 %');
  });
});

describe('the last two hours', () => {
  const bucket = (ok: number, bad: number) => ({
    from: 'a',
    to: 'b',
    requests: { '1xx': 0, '2xx': ok, '3xx': 1, '4xx': 2, '5xx': bad, other: 0 },
    p50: 3,
    p95: null,
  });

  test('are not read from anything but two buckets', () => {
    expect(hoursOf({ buckets: [] })).toBeUndefined();
    expect(hoursOf({ buckets: [bucket(1, 0)] })).toBeUndefined();
  });

  test('are one request, and end with a whole second', () => {
    expect(rangeUntil(NOW, 1_000).to).toBe('2026-11-20T18:00:00.000Z');
    const query = new URLSearchParams(hoursRequest(NOW, 'a.example').split('?')[1]);
    expect(Object.fromEntries(query)).toEqual({
      domain: 'a.example',
      from: '2026-11-20T16:00:00.000Z',
      to: '2026-11-20T18:00:00.000Z',
      buckets: '2',
    });
  });

  test('count all requests, and only 5xx as errors', () => {
    const hours = hoursOf({ buckets: [bucket(10, 4), bucket(20, 5)] });
    expect(hours?.before).toEqual({
      from: 'a',
      to: 'b',
      requests: 17,
      errors: 4,
      p50: 3,
      p95: null,
    });
    expect(hours?.last.requests).toBe(28);
    expect(hours?.last.errors).toBe(5);
  });
});

describe('the hosts of a site', () => {
  const certain = { port: 80, served: true, tls: false, automated: false };
  const addresses = (...names: string[]) => ({
    addresses: names.map((name) => ({
      ...certain,
      name,
      certificate: null,
      reason: null,
      checkedAt: null,
      authority: null,
      advice: null,
    })),
  });

  test('leave out patterns and any host', () => {
    expect(hostsOf({ addresses: ['*.example.org'] }, undefined)).toEqual([]);
    expect(hostsOf({ addresses: [':8080'] }, undefined)).toEqual([]);
    expect(hostsOf({ addresses: ['*.a.example'] }, addresses('*.a.example', ''))).toEqual([]);
  });

  test('are all of its own, until those that Caddy serves are known', () => {
    const site = { addresses: ['http://a.example:8080', 'c.example/x'] };
    expect(hostsOf(site, undefined)).toEqual(['a.example', 'c.example']);
    expect(hostsOf(site, addresses())).toEqual(['a.example', 'c.example']);
    expect(hostsOf(site, addresses('a.example', 'b.example', 'a.example'))).toEqual([
      'a.example',
      'b.example',
    ]);
  });
});

describe('the busiest sites', () => {
  const range = { from: '2026-11-20T17:00:00.000Z', to: '2026-11-20T18:00:00.000Z', buckets: 2 };
  const counts = (id: number, requests: number[], status5xx = [0, 0]) => ({
    id,
    hosts: [`host-${id}.example`],
    requests,
    status4xx: [0, 0],
    status5xx,
    p95: null,
  });

  test('do not include a site that was deleted', () => {
    const activity = { ...range, vhosts: [counts(1, [5, 5]), counts(9, [50, 50])] };
    expect(
      busiest([site({ id: 1, domain: 'a.example' })], activity, 5).map(({ id }) => id),
    ).toEqual([1]);
  });

  test('come with the most requests first, and lead to their logs', () => {
    const sites = [
      site({ id: 1, domain: 'http://a.example' }),
      site({ id: 2, domain: 'b.example' }),
      site({ id: 3, domain: 'c.example' }),
    ];
    const vhosts = [counts(1, [1, 1]), counts(2, [4, 5], [1, 2]), counts(3, [3, 0])];
    const [first, second, ...rest] = busiest(sites, { ...range, vhosts }, 2);
    expect(rest).toEqual([]);
    expect(second?.id).toBe(3);
    expect(first).toMatchObject({ id: 2, requests: 9, errors: 3 });
    const query = new URLSearchParams(first?.logs.errors.split('?')[1]);
    expect(Object.fromEntries(query)).toEqual({
      domain: 'host-2.example',
      status: '5xx',
      from: range.from,
      to: range.to,
    });
  });

  const linksFor = (hosts: string[]) => {
    const activity = { ...range, vhosts: [{ ...counts(1, [1, 1]), hosts }] };
    return busiest([site({ id: 1, domain: '*.example' })], activity, 5)[0]?.logs;
  };

  test('requested by more names than the hub tells lead to their own page', () => {
    const many = (length: number) => Array.from({ length }, (_, i) => `${i}.example`);
    const own = { requests: '/sites/1', errors: '/sites/1' };
    expect(linksFor(many(20))).toEqual(own);
    expect(linksFor([])).toEqual(own);
    expect(linksFor(many(10).map((name) => name.repeat(30)))).toEqual(own);
    expect(linksFor(many(19))?.errors).toContain('18.example');
  });

  test('requested by several names lead to the requests to all of them', () => {
    const query = new URLSearchParams(linksFor(['a.example', 'b.example'])?.requests.split('?')[1]);
    expect(query.get('domain')).toBe('a.example b.example');
  });
});
