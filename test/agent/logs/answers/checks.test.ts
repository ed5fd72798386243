/** Requests of the agent's own checks are entries like all others, but no figure counts them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECK_AGENT } from '../../../../agent/logs/line/entry.ts';
import { createLogs, type Logs } from '../../../../agent/logs/logs.ts';
import { line } from '../lines.ts';
import { ALL, keeperOf, ROLL, temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();
const WORD = '0123456789abcdef';
const OLD = 'fedcba9876543210';
const OWN = '127.0.0.9';
/** Seconds: when the agent started again, with another word. */
const RESTART = 1795212800;
const checkWords = {
  isCheck: (word: string, time: number, address: string) =>
    address === OWN && (word === WORD || (word === OLD && time < RESTART * 1000)),
  forgetBefore() {},
};

const made: Logs[] = [];
afterAll(() => {
  for (const logs of made) logs.close();
});
const open = (file: string) => {
  const logs = createLogs({ file, timeout: 20_000, checkWords });
  made.push(logs);
  return logs;
};

const by = (agent: string | string[], uri: string, more: object = {}) =>
  line({
    ts: RESTART + 0.5,
    status: 502,
    ...more,
    request: { uri, remote_ip: OWN, headers: { Accept: ['*/*'], 'User-Agent': [agent].flat() } },
  });
const check = `${CHECK_AGENT}${WORD}`;
const old = `${CHECK_AGENT}${OLD}`;
const inOtherOrder = (text: string) => {
  const { status, ...rest } = JSON.parse(text);
  return JSON.stringify({ status, ...rest });
};
const checks = [
  by(check, '/check'),
  inOtherOrder(by(check, '/check')),
  by(check, '/check', { status: 200 }),
  by(old, '/check', { ts: RESTART - 0.5 }),
];
const visitors = [
  line({ request: { uri: '/visitor' } }),
  by(old, '/visitor'),
  by(`${CHECK_AGENT}0000000000000000`, '/visitor'),
  by(`${check} and more`, '/visitor'),
  by(` ${check}`, '/visitor'),
  by(check.slice(0, -1), '/visitor'),
  by([check, check], '/visitor'),
  by('curl', '/visitor', { resp_headers: { 'User-Agent': [check], Server: ['Caddy'] } }),
  line({ request: { uri: '/visitor', headers: { 'X\\"User-Agent': [check], Referer: [check] } } }),
  line({ request: { uri: '/visitor', headers: { 'x"User-Agent': [check] } } }),
  line({ request: { uri: '/visitor', headers: { Referer: [`"User-Agent":["${check}"]`] } } }),
  inOtherOrder(by(old, '/visitor')),
  ...[
    { remote_ip: '203.0.113.9' },
    { remote_ip: OWN, client_ip: '203.0.113.9' },
    { remote_ip: OWN, client_ip: '' },
  ].flatMap((from) => {
    const spoken = line({
      ts: RESTART + 0.5,
      status: 502,
      request: { uri: '/visitor', ...from, headers: { 'User-Agent': [check] } },
    });
    return [spoken, inOtherOrder(spoken)];
  }),
];
const all = checks.flatMap((one, at) => [one, ...visitors.slice(5 * at, 5 * at + 5)]);
const LOG = `${all.join('\n')}\n`;

async function expectFigures(logs: Logs): Promise<void> {
  for (const domain of [{}, { domain: 'b.example' }]) {
    const stats = await logs.sums({ buckets: 3, ...domain });
    expect(stats.requests).toBe(visitors.length);
    expect(stats.latest.requests).toBe(visitors.length);
    expect(stats.latest.paths).toEqual([['/visitor', visitors.length]]);
    const { statuses, buckets, domains } = stats;
    expect(Object.fromEntries(statuses)).toEqual({ 200: 4, 502: 14 });
    expect(buckets.reduce((sum, { requests }) => sum + requests['5xx'], 0)).toBe(14);
    expect(domains).toEqual([['b.example', visitors.length]]);
  }
  const { domains } = await logs.activity({ buckets: 1 });
  expect(domains['b.example']).toMatchObject({ requests: [visitors.length], status5xx: [14] });
  // Both are found as before.
  expect((await logs.page(ALL)).total).toBe(all.length);
  expect((await logs.page({ ...ALL, path: '/check' })).total).toBe(checks.length);
  expect((await logs.page({ ...ALL, domain: 'b.example', status: 502 })).total).toBe(17);
}

describe('are in no figure', () => {
  test('of the live log, read at once and as it grows', async () => {
    const file = join(newFolder(), 'access.log');
    writeFileSync(file, LOG.slice(0, LOG.length >> 1));
    const logs = open(file);
    await logs.page(ALL);
    writeFileSync(file, LOG);
    await expectFigures(logs);
    await expectFigures(open(file));
  });

  test('of a rolled one, of its stored index, and once it is packed', async () => {
    const folder = newFolder();
    const file = join(folder, 'access.log');
    writeFileSync(file, LOG);
    renameSync(file, join(folder, ROLL));
    await expectFigures(open(file));
    await expectFigures(open(file));
    await keeperOf(file).run();
    await expectFigures(open(file));
  });

  test('of a log that holds nothing else', async () => {
    const file = join(newFolder(), 'access.log');
    writeFileSync(file, `${checks.join('\n')}\n`);
    const logs = open(file);
    expect(await logs.stats({ buckets: 3 })).toMatchObject({ requests: 0, domains: [] });
    expect((await logs.activity({ buckets: 3 })).domains).toEqual({});
    expect((await logs.page(ALL)).total).toBe(checks.length);
  });
});

test('an agent that knows no word takes all of them for visitors', async () => {
  const file = join(newFolder(), 'access.log');
  writeFileSync(file, LOG);
  const logs = createLogs({ file });
  expect((await logs.stats({ buckets: 3 })).requests).toBe(all.length);
  logs.close();
});
