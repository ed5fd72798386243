/** What the overview and a site's page compute from the hub's answers. */
import { describe, expect, test } from 'bun:test';
import { hostsOf } from '../../src/web/logs/filter/site-names.ts';
import { busiest } from '../../src/web/overview/lists.tsx';
import { site } from './samples.ts';

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
