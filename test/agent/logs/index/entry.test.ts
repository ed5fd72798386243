import { describe, expect, test } from 'bun:test';
import { entryFacts, toEntry } from '../../../../agent/logs/index/entry.ts';
import { hostKey, shownHost } from '../../../../agent/logs/index/host.ts';
import { parseDuration, parseTime } from '../../../../agent/logs/index/time-values.ts';
import { line } from '../lines.ts';

const entryOf = (text: string) => {
  const facts = entryFacts(text);
  return facts && toEntry(facts);
};
const iso = (value: unknown) => {
  const time = parseTime(value);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('times', () => {
  test.each([undefined, null, true, {}, [[]], '', 'soon', '2026-13-40T00:00:00Z', 1e300])(
    '%p is none',
    (value) => {
      expect(iso(value)).toBeUndefined();
    },
  );

  test.each([
    [1795212767.620665, '620'],
    [1795212767.62, '620'],
    [1795212767.7289999, '728'],
    [1795212767620.665, '620'],
    [1795212767620665, '620'],
    [1795212767620665000, '620'],
    ['2026-11-20T22:12:47.620Z', '620'],
    ['2026-11-20T23:12:47.620+0100', '620'],
    ['2026-11-20T22:12:47Z', '000'],
    ['2026-11-20T20:42:47.620665123-01:30', '620'],
    ['2026/11/20 22:12:47', '000'],
    ['2026/11/20 22:12:47.620', '620'],
    ['2026/11/20 22:12:47.620665123', '620'],
    ['20/Nov/2026:23:12:47 +0100', '000'],
    ['Fri, 20 Nov 2026 22:12:47 GMT', '000'],
  ])('%p', (value, ms) => {
    expect(iso(value)).toBe(`2026-11-20T22:12:47.${ms}Z`);
  });
});

describe('durations in milliseconds', () => {
  test.each([
    [undefined, 0],
    ['', 0],
    ['fast', 0],
    ['5parsecs', 0],
    [Number.POSITIVE_INFINITY, 0],
    [0, 0],
    [0.5, 500],
    [2, 2000],
    [1_500_000, 1.5],
    ['0s', 0],
    ['1.5ms', 1.5],
    ['250µs', 0.25],
    ['250μs', 0.25],
    ['10ns', 0.00001],
    ['1h1m2.5s', 3_662_500],
  ])('%p is %p', (value, ms) => {
    expect(parseDuration(value)).toBeCloseTo(ms, 9);
  });
});

describe('hosts', () => {
  test.each([
    ['B.Example:8443', 'b.example', 'b.example'],
    ['b.example.', 'b.example', 'b.example'],
    ['b.example.:80', 'b.example', 'b.example'],
    ['b.example:', 'b.example', 'b.example'],
    ['[::1]:20080', '[::1]', '[::1]'],
    ['[::1]', '[::1]', '[::1]'],
    ['::1', '[::1]', '[::1]'],
    ['BÜCHER.example:1', 'bücher.example', 'xn--bcher-kva.example'],
    ['127.1', '127.1', '127.1'],
    ['', '', ''],
  ])('%p', (host, shown, key) => {
    expect([shownHost(host), hostKey(host)]).toEqual([shown, key]);
  });
});

describe('entries', () => {
  test.each([
    'plain',
    '',
    '[]',
    'null',
    '{}',
    line({ status: '200' }),
    line({ status: null }),
    line().replace('"request":{', '"request":null,"other":{'),
    line().slice(0, -1),
    line().slice(1),
  ])('%p is none', (text) => {
    expect(entryOf(text)).toBeUndefined();
  });

  test('has what the line says', () => {
    expect(entryOf(line({ request: { uri: '/a%2Fb?x=1?y', host: 'B.Example:8443' } }))).toEqual({
      timestamp: '2026-11-20T22:12:47.620Z',
      domain: 'b.example',
      method: 'GET',
      path: '/a%2Fb',
      status: 200,
      latency: '0.049ms',
      ip: '127.0.0.1',
    });
  });

  test('client_ip comes before remote_ip, and what is missing is empty', () => {
    expect(entryOf(line({ request: { client_ip: '192.0.2.1' } }))?.ip).toBe('192.0.2.1');
    expect(entryOf('{"request":{},"status":0}')).toEqual({
      timestamp: '',
      domain: '',
      method: '',
      path: '',
      status: 0,
      latency: '0ms',
      ip: '',
    });
  });

  test.each([
    ['200.9', 200],
    ['-0', 0],
    ['2e2', 200],
    ['1e999', Number.MAX_SAFE_INTEGER],
  ])('the status %s is %p', (status, whole) => {
    expect(entryOf(line().replace('"status":200', `"status":${status}`))?.status).toBe(whole);
  });
});
