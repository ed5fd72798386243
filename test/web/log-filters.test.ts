/** The log’s filters in addresses, requests and inputs. */
import { describe, expect, test } from 'bun:test';
import { localTime } from '../../src/web/lib/format.ts';
import {
  accepted,
  addressOf,
  applied,
  changed,
  entryRequest,
  NO_FILTERS,
  pageRequest,
  parseFilters,
  tailRequest,
} from '../../src/web/logs/filter/filters.ts';
import { namesIn, siteFilter, suggestionsFor } from '../../src/web/logs/filter/site-names.ts';
import { fromLocalTime, minuteOf, since } from '../../src/web/logs/filter/time-range.tsx';

const parsed = (query: string) => parseFilters(new URLSearchParams(query));

describe('an address', () => {
  test.each([
    ['nothing', ''],
    ['page zero', 'page=0'],
    ['a negative page', 'page=-1'],
    ['a page that is not a number', 'page=1e3'],
    ['too many pages', 'page=99999999999999999999'],
    ['a size that is not offered', 'pageSize=1000000'],
    ['a size that is not an integer', 'pageSize=50.5'],
    ['a status that is not a number', 'status=abc'],
    ['an unknown class', 'status=6xx'],
    ['a status out of range', 'status=1234'],
    ['an invalid method', 'method=GET%20/'],
    ['a long method', `method=${'A'.repeat(33)}`],
    ['an invalid IP address', 'ip=%3Cscript%3E'],
    ['a long path', `path=${'/'.repeat(8193)}`],
    ['a long text', `q=${'x'.repeat(1025)}`],
    ['a long user agent', `userAgent=${'x'.repeat(1025)}`],
    ['a long name', `domain=${'d'.repeat(2001)}`],
    ['a proxy that cannot be', 'agent=V%20PS'],
    ['an invalid time', 'from=yesterday'],
    ['an invalid month', 'from=2026-13-01'],
    ['an invalid hour', 'to=2026-11-21T25:00Z'],
    ['a time before year 0', 'from=0000-01-01T00:00%2B14:00'],
    ['unknown names', 'x=1&__proto__=2&constructor=3&toString=4'],
  ])('with %s has no filters', (_, query) => {
    expect(parsed(query)).toEqual(NO_FILTERS);
    expect(addressOf(parsed(query))).toBe('/logs');
  });

  test('uses the first of repeated filters, and accepts what the API accepts', () => {
    const filters = parsed(
      'domain=%20App.Example&domain=b&status=5XX&method=post&path=/a%20b?&q=%26%3D&ip=%5B::1%5D&userAgent=%20Bot&agent=vps' +
        '&from=2026-11-20&to=2026-11-21T10:00:00.5%2B02:00&page=3&pageSize=100',
    );
    expect(filters).toEqual({
      domain: 'App.Example',
      status: '5xx',
      method: 'POST',
      path: '/a b?',
      q: '&=',
      ip: '[::1]',
      userAgent: ' Bot',
      agent: 'vps',
      from: '2026-11-20T00:00:00.000Z',
      to: '2026-11-21T08:00:00.500Z',
      page: 3,
      pageSize: 100,
    });
    expect(parseFilters(new URL(addressOf(filters), 'http://x').searchParams)).toEqual(filters);
  });

  test('preserves any text', () => {
    for (const q of ['<img src=x>', '"\'`', '\u202e', 'a+b c', '%41', '/?#&=', '\u0000', '💡']) {
      const there = addressOf({ ...NO_FILTERS, q, path: q });
      expect(there).toMatch(/^\/logs\?[!-~]*$/);
      expect(parseFilters(new URL(there, 'http://x').searchParams)).toMatchObject({ q, path: q });
    }
  });
});

describe('requests', () => {
  const filters = parsed('domain=a&status=404&from=2026-11-20&page=2');

  test('send the filters that each route accepts', () => {
    expect(pageRequest(filters)).toBe(
      '/logs?domain=a&status=404&from=2026-11-20T00%3A00%3A00.000Z&page=2',
    );
    expect(tailRequest(filters)).toBe('/logs/tail?domain=a&status=404');
    expect(tailRequest(NO_FILTERS, '0f-1')).toBe('/logs/tail?after=0f-1');
    const ofOne = { ...NO_FILTERS, agent: 'vps' };
    expect([pageRequest(ofOne), tailRequest(ofOne)]).toEqual([
      '/logs?agent=vps',
      '/logs/tail?agent=vps',
    ]);
  });
});

describe('a change', () => {
  const filters = parsed('domain=a&page=7&pageSize=100');

  test('to an invalid value changes no filter', () => {
    expect(changed(filters, { status: 'x', ip: '<>' })).toEqual({ ...filters, page: 1 });
  });

  test('goes to the first page and keeps the rest', () => {
    expect(changed(filters, { status: '4XX', domain: '' })).toEqual({
      ...NO_FILTERS,
      status: '4xx',
      pageSize: 100,
    });
  });

  test('shows up among the active filters', () => {
    expect(applied(changed(filters, { q: 'x' })).map(({ key, value }) => [key, value])).toEqual([
      ['domain', 'a'],
      ['q', 'x'],
    ]);
    expect(applied(NO_FILTERS)).toEqual([]);
    expect(accepted('status', '70000')).toBeUndefined();
  });
});

describe('times', () => {
  test('that are invalid are not converted', () => {
    expect(minuteOf('')).toBeUndefined();
    expect(fromLocalTime('')).toBe('');
    for (const text of ['2026-99-99 00:00', '2026-11-21', '11/21/2026 10:34', 'now']) {
      expect(fromLocalTime(text)).toBeUndefined();
    }
  });

  test('survive the way through an input', () => {
    const iso = '2026-11-21T10:34:17.000Z';
    expect(fromLocalTime(localTime(iso))).toBe(iso);
    expect(minuteOf(iso)).toEqual({
      from: '2026-11-21T10:34:00.000Z',
      to: '2026-11-21T10:35:00.000Z',
    });
    expect(since(3_600_000, new Date('2026-11-21T10:34:17.891Z'))).toEqual({
      from: '2026-11-21T09:34:17.000Z',
      to: '',
    });
  });
});

describe('the names of sites', () => {
  const site = (...addresses: [string, ...string[]]) => ({ domain: addresses[0], addresses });

  test('are those that the log uses, without variables and any host', () => {
    const sites = [
      site('http://a.example:8080/x'),
      site('a.example'),
      site(':443'),
      site('[::1]:80'),
      site('{$NAME:d}'),
      site('*.b.example'),
    ];
    const names = ['a.example', '[::1]', '*.b.example'];
    expect(suggestionsFor(sites)).toEqual(names.map((value) => ({ value })));
  });

  test('are one filter, if a site has several, and each of them another', () => {
    const some = site('http://a.lan:80', 'a.lan', '*.b.lan', 'c.lan');
    const filter = 'a.lan *.b.lan c.lan';
    expect(siteFilter(some)).toBe(filter);
    expect(suggestionsFor([some])).toEqual([
      { value: filter, label: 'all names of http://a.lan:80' },
      ...['a.lan', '*.b.lan', 'c.lan'].map((value) => ({ value })),
    ]);
    expect(pageRequest(parsed(`domain=${encodeURIComponent(filter)}`))).toBe(
      '/logs?domain=a.lan+*.b.lan+c.lan',
    );
    expect(namesIn(filter)).toBe('a.lan or *.b.lan or c.lan');
    expect(namesIn(' a.lan, b.lan ')).toBe('a.lan or b.lan');
  });

  test('are no filter if it could not have all of them', () => {
    expect(siteFilter(site('a.lan', ':80'))).toBe('');
    expect(siteFilter(site('a.lan', '{$NAME}.lan'))).toBe('');
    expect(suggestionsFor([site('a.lan', ':80')])).toEqual([{ value: 'a.lan' }]);
    const many = Array.from({ length: 300 }, (_, i) => `n${i}.lan`);
    expect(siteFilter(site('a.lan', ...many))).toBe('');
  });
});

test('the details of an entry come from the proxy whose log has it', () => {
  const entry = {
    timestamp: '2026-11-21T10:00:00.000Z',
    domain: 'a',
    method: 'GET',
    path: '/',
    status: 200,
    latency: '1ms',
    ip: '::1',
  };
  expect(entryRequest({ ...entry, timestamp: '' })).toBeNull();
  expect(entryRequest(entry)).not.toContain('agent');
  expect(entryRequest({ ...entry, agent: 'vps' })).toContain('&agent=vps');
});
