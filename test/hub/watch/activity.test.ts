import { expect, test } from 'bun:test';
import type { SiteSet } from '../../../src/hub/model/vhost.ts';
import { PACE } from '../../../src/hub/pace.ts';
import { type Activity, createActivity } from '../../../src/hub/watch/activity.ts';
import type { LogActivity } from '../../../src/shared/wire/logs.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { freePort, until } from '../../harness/stack.ts';

type LastHour = Awaited<ReturnType<Activity['lastHour']>>;

const owner = await forFile(startOwner());
const { stack } = owner;

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

test('invalid queries are refused', async () => {
  for (const buckets of ['0', '61', '-1', 'x', '1e1']) {
    const answer = await owner.call('GET', `/vhosts/activity?buckets=${buckets}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  }
});

test('each vhost has its own requests and errors; the most specific name counts', async () => {
  const create = async (domain: string, config: string) => {
    const made = await owner.call('POST', '/vhosts', { domain, config });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    return made.body.id;
  };
  const whole = 'http://a.example, http://b.example {\n\trespond ok\n}';
  const [both, wild, exact, quiet] = [
    await create('http://a.example', whole),
    await create('http://*.example', 'respond missing 404'),
    await create('http://c.example', `reverse_proxy 127.0.0.1:${freePort()}`),
    await create('http://quiet.example', 'respond ok'),
  ];
  const hosts = ['a.example', 'A.Example:80', 'b.example', 'x.example', 'y.example', 'c.example'];
  // The last two belong to no vhost.
  for (const host of [...hosts, 'no.vhost.at.all', `${'.'.repeat(9_000)}x`])
    await stack.served(host);
  // Responses are cached for some seconds, separately for each number of buckets.
  let buckets = 0;
  const activity = await until(async () => {
    const path = `/vhosts/activity?buckets=${(buckets++ % 60) + 1}`;
    const { body } = await owner.call<LastHour>('GET', path);
    const all = body.vhosts.flatMap(({ requests }) => requests);
    return total(all) === hosts.length && body;
  }, 'all requests');
  const sums = activity.vhosts.map(({ id, requests, status4xx, status5xx }) => [
    id,
    ...[requests, status4xx, status5xx].map(total),
  ]);
  expect(sums.toSorted()).toEqual([
    [both, 3, 0, 0],
    [wild, 2, 2, 0],
    [exact, 1, 0, 1],
  ]);
  expect(activity.vhosts.every(({ p95 }) => p95 !== null && p95 > 0)).toBe(true);
  expect(activity.vhosts.map(({ id }) => id)).not.toContain(quiet);
  const requested = activity.vhosts.map(({ id, hosts }) => [id, hosts.toSorted()]);
  expect(requested.toSorted()).toEqual([
    [both, ['a.example', 'b.example']],
    [wild, ['x.example', 'y.example']],
    [exact, ['c.example']],
  ]);
  expect(Date.parse(activity.to ?? '') - Date.parse(activity.from ?? '')).toBe(3_600_000);

  const usual = await owner.call<LastHour>('GET', '/vhosts/activity');
  expect([usual.body.buckets, usual.body.vhosts[0]?.requests.length]).toEqual([12, 12]);
});

const activityOf = (counted: LogActivity, vhosts: object[]) =>
  createActivity(
    { current: () => ({ preamble: '', vhosts }) as unknown as SiteSet },
    { activity: async () => counted },
    PACE.activity,
    () => new Date(),
  );

test('thousands of hosts with many labels do not slow down the hub', async () => {
  const counts = { requests: [1], status4xx: [0], status5xx: [0] };
  const none = { ...counts, latencies: [[2, 1] as [number, number]] };
  const vhost = { id: 7, domain: '*.wild.example', config: 'respond ok' };
  /** With as many hosts of the same length, and the processor's time for them. */
  async function look(labels: string) {
    const hosts = Array.from({ length: 20_000 }, (_, at) => `${labels}${at}`);
    const domains = Object.fromEntries([...hosts, 'x.wild.example'].map((host) => [host, none]));
    const counted: LogActivity = { from: null, to: null, buckets: 1, domains };
    const activity = activityOf(counted, [vhost]);
    const before = process.cpuUsage();
    const { vhosts } = await activity.lastHour(1);
    return { vhosts, cost: process.cpuUsage(before).user };
  }
  const few = await look('aa'.repeat(124));
  const { vhosts, cost } = await look('a.'.repeat(124));
  // It is a hundred times as much if each label of each host is tried as a wildcard.
  expect(cost).toBeLessThan(20 * Math.max(few.cost, 10_000));
  expect(vhosts).toEqual([{ id: 7, hosts: ['x.wild.example'], ...counts, p95: 2 }]);
});

test('of the hosts of one vhost, only some are named, and all are counted', async () => {
  const one = { requests: [1], status4xx: [0], status5xx: [0], latencies: [] };
  const domains: LogActivity['domains'] = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`${at}.wild.example`, one]),
  );
  const counted: LogActivity = { from: null, to: null, buckets: 1, domains };
  const activity = activityOf(counted, [{ id: 7, domain: ':80', config: 'respond ok' }]);
  const [vhost] = (await activity.lastHour(1)).vhosts;
  expect([vhost?.hosts.length, vhost?.requests]).toEqual([20, [100]]);
});

test('the latency of a vhost with several names is that of all their requests', async () => {
  const counts = { requests: [10], status4xx: [0], status5xx: [0] };
  const domains: LogActivity['domains'] = {
    'a.example': {
      ...counts,
      latencies: [
        [1, 10],
        [50, 8],
      ],
    },
    'b.example': {
      ...counts,
      latencies: [
        [2, 1],
        [900, 1],
      ],
    },
    'c.example': { ...counts, latencies: [] },
  };
  const activity = activityOf({ from: null, to: null, buckets: 1, domains }, [
    { id: 1, domain: 'a.example', config: 'a.example, b.example {\n\trespond ok\n}' },
    { id: 2, domain: 'c.example', config: 'respond ok' },
  ]);
  const { vhosts } = await activity.lastHour(1);
  expect(vhosts).toEqual([
    {
      id: 1,
      hosts: ['a.example', 'b.example'],
      requests: [20],
      status4xx: [0],
      status5xx: [0],
      p95: 50,
    },
    { id: 2, hosts: ['c.example'], ...counts, p95: null },
  ]);
});
