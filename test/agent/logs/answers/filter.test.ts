import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { getSchemaValidator } from 'elysia';
import { factsTest, parseLogQuery } from '../../../../agent/logs/answers/filter.ts';
import { entryFacts } from '../../../../agent/logs/line/entry.ts';
import { LogQuery } from '../../../../src/shared/wire/logs.ts';
import { words } from '../../../harness/words.ts';
import { line } from '../lines.ts';
import { ROLL, temporaryLogs } from '../temp.ts';

const checks = (query: object) => getSchemaValidator(LogQuery).Check(query);
const logWith = temporaryLogs();

describe('the filters of a URL', () => {
  test('empty values count as absent, and there are defaults', () => {
    const defaults = { page: 1, pageSize: 50 };
    expect(parseLogQuery({})).toEqual(defaults);
    expect(parseLogQuery({ domain: '', status: '', page: '', pageSize: '' })).toEqual(defaults);
  });

  test('numbers are parsed', () => {
    const query = { domain: 'a.example', status: '0', page: '3', pageSize: '7' };
    expect(parseLogQuery(query)).toEqual({ domain: 'a.example', status: 0, page: 3, pageSize: 7 });
  });
});

describe('times and addresses of a URL', () => {
  const at = Date.UTC(2026, 10, 20, 22, 12, 47, 620);
  test.each([
    ['2026-11-20T22:12:47.620Z', at],
    ['2026-11-20T22:12:47,6209999', at],
    ['2026-11-21T00:12:47.62+02:00', at],
    ['2026-11-21T00:12:47.62 0200', at],
    ['2026-11-20T21:42:47.62-00:30', at],
    ['2026-11-20T22:12', at - 47_620],
    ['2026-11-20', Date.UTC(2026, 10, 20)],
  ])('%s', (from, time) => {
    expect(checks({ from })).toBe(true);
    expect(parseLogQuery({ from, to: from })).toMatchObject({ from: time, to: time });
  });

  test.each(
    words(`
    2026 2026-13-01 2026-11-31 2026-02-30 2026-11-20T24:00Z 2026-11-20T22:60Z 2026-11-20T
    1795212767 yesterday 2026-11-20T22:12:47.620Zx
  `),
  )('%s is not a time', (to) => {
    expect(checks({ to })).toBe(false);
  });

  test.each([
    ['::1', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['2001:DB8::00ff', '2001:db8::ff'],
    ['fe80::1%Eth0', 'fe80::1%eth0'],
    ['10.0.0.1', '10.0.0.1'],
    ['127.1', '127.1'],
  ])('%s is %s', (ip, canonical) => {
    expect(parseLogQuery({ ip })).toMatchObject({ ip: canonical });
  });
});

describe('conditions', () => {
  const entry = (ts: number, uri: string, method = 'GET', remote_ip = '10.0.0.1', status = 200) =>
    line({ ts, status, request: { uri, method, remote_ip } });
  const text = [
    entry(1795212767.1, '/a/one?x=/b'),
    entry(1795212769.3, '/a/two', 'POST', '2001:db8::1', 204),
    entry(1795212768.2, '/b/one', 'get', '2001:db8::1', 404),
    entry(1795212770.4, '/\u00fc"one', 'PUT', '10.0.0.10', 0),
    line({ ts: 'never', request: { uri: '/timeless' } }),
  ].join('\n');

  test.each([
    ['method=get', '/timeless /b/one /a/one'],
    ['path=/a', '/a/two /a/one'],
    ['path=/A', ''],
    ['q=one', '/\u00fc"one /b/one /a/one'],
    ['q=/b', '/b/one'],
    ['path=/\u00fc', '/\u00fc"one'],
    ['ip=10.0.0.1', '/a/one'],
    ['ip=2001:DB8:0::1', '/b/one /a/two'],
    ['status=2xx&path=/a', '/a/two /a/one'],
    ['status=4XX', '/b/one'],
    ['status=1xx', ''],
    ['from=2026-11-20T22:12:48.200Z', '/\u00fc"one /b/one /a/two'],
    ['to=2026-11-20T22:12:48.200Z', '/a/one'],
    ['from=2026-11-20&to=2026-11-21', '/\u00fc"one /b/one /a/two /a/one'],
    ['from=2026-11-21', ''],
    ['method=post&ip=2001:db8::1&q=w&status=204', '/a/two'],
  ])('%s', async (query, expected) => {
    const params = Object.fromEntries(new URLSearchParams(query));
    const { page, pageSize, ...conditions } = parseLogQuery(params);
    const { paths } = logWith({ 'access.log': `${text}\n`, [`${ROLL}.gz`]: gzipSync('') });
    expect(await paths(conditions)).toBe(expected);
  });
});

describe('user agents', () => {
  const agents: Readonly<Record<string, unknown>> = {
    '/firefox': { 'User-Agent': ['Mozilla/5.0 (X11; rv:128.0) Firefox/128.0'] },
    '/curl': { Accept: ['*/*'], 'User-Agent': ['curl/8.5.0'] },
    '/two': { 'User-Agent': ['one', 'Curl two'] },
    '/quoted': { 'If-None-Match': ['W/"curl"'], 'User-Agent': ['say "curl"\\'] },
    '/umlaut': { 'User-Agent': ['Fünf\u0007 curl'] },
    // Named elsewhere only.
    '/none': { Vary: ['curl', 'User-Agent'], 'X-Sly': ['"User-Agent":["curl/'] },
    '/nested': { 'X-Sly': [{ A: ['curl'], 'User-Agent': ['curl'] }] },
    '/prefixed': { 'X-User-Agent': ['curl'] },
    '/quote': { '"User-Agent': ['curl'] },
    '/text': { 'User-Agent': 'curl' },
    '/empty': {},
  };
  const entries = Object.entries(agents).map(([uri, headers]) =>
    line({ request: { uri, headers } }),
  );
  // What Caddy never writes.
  entries.push(
    line({ request: { uri: '/twice' } }).replace('"Accept"', '"User-Agent":["wget"],"Accept"'),
    line({ request: { uri: '/escaped' } }).replace('"User-Agent"', '"User\\u002dAgent"'),
    line({ request: { uri: '/spaced' } }).replace('"User-Agent":', '"User-Agent" : '),
  );

  test.each([
    ['no such agent', ''],
    ['curl', '/spaced /escaped /umlaut /quoted /two /curl'],
    ['CURL/8', '/curl'],
    ['firefox/128', '/firefox'],
    ['one, curl', '/two'],
    ['say "curl"\\', '/quoted'],
    ['FÜNF', '/umlaut'],
    ['wget', '/twice'],
    ['7.88.1', '/spaced /escaped'],
  ])('%s', async (userAgent, expected) => {
    expect(checks({ userAgent })).toBe(true);
    const { logs, paths } = logWith({ 'access.log': `${entries.join('\n')}\n` });
    const { page: _, pageSize: __, ...conditions } = parseLogQuery({ userAgent });
    expect(await paths(conditions)).toBe(expected);
    const { requests, latest } = await logs.stats({ ...conditions, buckets: 1 });
    expect(requests).toBe(expected.split(' ').filter(Boolean).length);
    expect(
      latest.userAgents?.every((one) =>
        one.userAgent.toLowerCase().includes(userAgent.toLowerCase()),
      ),
    ).toBe(true);
  });

  test('a longer part than any is refused', () => {
    expect(checks({ userAgent: 'x'.repeat(1024) })).toBe(true);
    expect(checks({ userAgent: 'x'.repeat(1025) })).toBe(false);
  });

  test('are among the most frequent values', async () => {
    const { logs } = logWith({ 'access.log': `${entries.join('\n')}\n` });
    const { latest } = await logs.stats({ buckets: 1 });
    expect(latest.userAgents?.[0]).toEqual({ userAgent: '', requests: 6 });
    expect(latest.userAgents).toContainEqual({ userAgent: 'one, Curl two', requests: 1 });
    expect(latest.userAgents).toContainEqual({ userAgent: 'say "curl"\\', requests: 1 });
  });
});

describe('domains', () => {
  const hosts = [
    'B.Example:81',
    'b.example.',
    'bücher.example',
    'xn--bcher-kva.example',
    '[::1]:1',
  ];
  const text = hosts.map((host, i) => `${line({ request: { host, uri: `/${i}` } })}\n`).join('');

  test.each([
    ['example', ''],
    ['b.exampl', ''],
    ['b.example', '/1 /0'],
    ['B.EXAMPLE.', '/1 /0'],
    ['b.example:443', '/1 /0'],
    ['bücher.example', '/3 /2'],
    ['BÜCHER.example.', '/3 /2'],
    ['xn--bcher-kva.example', '/3 /2'],
    ['::1', '/4'],
    ['[::1]', '/4'],
    ['[::1]:8080', '/4'],
    [' ', ''],
    ['no.example nor.example', ''],
    ['  ::1   b.example:80 ', '/4 /1 /0'],
    ['b.example, BÜCHER.example', '/3 /2 /1 /0'],
    ['b.example b.example', '/1 /0'],
    // One label each, and never a part of one.
    ['*.example', '/3 /2 /1 /0'],
    ['*', '/4'],
    ['*.*.example', ''],
    ['*xample', ''],
    ['b*.example', ''],
    ['b.*', '/1 /0'],
    ['(b|x).example', ''],
    ['*.EXAMPLE. ::1', '/4 /3 /2 /1 /0'],
  ])('%s', async (domain, expected) => {
    const { logs, paths } = logWith({ 'access.log': text });
    expect(await paths({ domain })).toBe(expected);
    const { requests } = await logs.stats({ domain, buckets: 1 });
    expect(requests).toBe(expected.split(' ').filter(Boolean).length);
    // By its facts, as in a tail.
    const wanted = factsTest({ domain });
    const found = text.split('\n').map((one) => entryFacts(one));
    expect(found.filter((facts) => facts && wanted(facts))).toHaveLength(requests);
  });

  test('are refused if they are longer than those of any site', () => {
    expect(checks({ domain: 'x'.repeat(2000) })).toBe(true);
    expect(checks({ domain: 'x'.repeat(2001) })).toBe(false);
  });

  test('more of them than the index tells apart are still exact', async () => {
    const many = Array.from({ length: 17_000 }, (_, i) => {
      return line({ status: 200 + (i % 2), request: { host: `h${i}.example`, uri: `/${i}` } });
    });
    many.push(line({ request: { host: 'x'.repeat(300), uri: '/long' } }));
    const { logs, paths } = logWith({ [`${ROLL}.gz`]: gzipSync(`${many.join('\n')}\n`) });
    expect(await paths({ domain: 'h5.example' })).toBe('/5');
    expect(await paths({ domain: 'h16999.example' })).toBe('/16999');
    expect(await paths({ domain: 'h16999.example', status: 200 })).toBe('');
    expect(await paths({ domain: 'nobody.example' })).toBe('');
    expect(await paths({ domain: 'h7.example h16998.example nobody.example' })).toBe('/16998 /7');
    const all = { domain: '*.example nobody.example', status: 200 };
    expect((await logs.page({ ...all, page: 1, pageSize: 1 })).total).toBe(8_500);
    expect(await paths({ domain: 'x'.repeat(300) })).toBe('/long');
  });
});
