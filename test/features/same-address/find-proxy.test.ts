/** When a log says that a proxy stands before Caddy. The log is a stand-in: nobody connects from Cloudflare here. */
import { describe, expect, test } from 'bun:test';
import { findProxy } from '../../../src/features/same-address/find-proxy.ts';
import type { LogStats } from '../../../src/shared/wire/logs.ts';

type Count = [ip: string, requests: number];
const NOW = new Date('2026-11-28T12:00:00Z');
const FORWARDED = { 'X-Forwarded-For': ['203.0.113.7'] };

/** A log: by address, the headers of each request of the sample, and how many others there are. */
type Log = { counts: Count[]; headers?: object[]; others?: number };

async function found({ counts, headers = [FORWARDED], others = 0 }: Log) {
  const asked: object[] = [];
  const ips = counts.map(([ip, requests]) => ({ ip, requests }));
  const requests = ips.reduce((sum, one) => sum + one.requests, others);
  const logs = headers.map((one) => ({ details: { request: { headers: one } } }));
  const proxy = await findProxy(
    {
      async stats(query) {
        asked.push(query);
        return { latest: { requests, ips } } as unknown as LogStats;
      },
      async logs(query) {
        asked.push(query);
        return JSON.stringify({ logs });
      },
    },
    NOW,
  );
  return { proxy, asked };
}

const tenth = (of: number) => Array.from({ length: 10 }, (_, at) => (at < of ? FORWARDED : {}));

describe('nothing is found', () => {
  test.each<[string, Log]>([
    ['in an empty log', { counts: [] }],
    ['in 199 requests', { counts: [['10.0.0.1', 199]] }],
    ['if too many come from elsewhere', { counts: [['10.0.0.1', 949]], others: 51 }],
    ['if they come from a public address', { counts: [['198.51.100.1', 1_000]] }],
    ['if they come from a public address of IPv6', { counts: [['2001:db8::1', 1_000]] }],
    ['if no request has such a header', { counts: [['10.0.0.1', 1_000]], headers: tenth(0) }],
    ['if too few have it', { counts: [['10.0.0.1', 1_000]], headers: tenth(8) }],
    ['if the lines are gone', { counts: [['10.0.0.1', 1_000]], headers: [] }],
    ['if Cloudflare forwards too few', { counts: [['173.245.48.1', 949]], others: 51 }],
    ['if there is no address', { counts: [['', 1_000]] }],
  ])('%s', async (_, log) => expect((await found(log)).proxy).toBeNull());
});

const CLOUDFLARE: Count[] = [
  ['173.245.48.1', 500],
  ['2400:cb00::1', 450],
];

describe('a proxy is found', () => {
  test.each<[string, Log]>([
    ['172.17.0.1', { counts: [['172.17.0.1', 200]] }],
    ['172.17.0.2', { counts: [['172.17.0.2', 950]], headers: tenth(9), others: 50 }],
    ['127.0.0.1', { counts: [['127.0.0.1', 200]], headers: [{ 'Cf-Connecting-Ip': ['x'] }] }],
    ['fd00::1', { counts: [['fd00::1', 1_000]] }],
    ['Cloudflare', { counts: CLOUDFLARE, others: 50 }],
  ])('%s', async (name, log) => {
    const { proxy, asked } = await found(log);
    expect(proxy?.name).toBe(name);
    const from = '2026-11-27T12:00:00.000Z';
    expect(asked).toEqual([{ from }, expect.objectContaining({ ip: log.counts[0]?.[0], from })]);
  });
});
