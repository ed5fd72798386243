/** Makes the statistics of a log from sums, which can be those of several logs. */
import type { Latencies, LogStats } from './logs.ts';
import type { LogSums } from './merge.ts';

const TOP = 10;

/** Percentiles and top tens of what was counted. */
export function statsOf({ buckets, domains, statuses, latest, ...sums }: LogSums): LogStats {
  const { from, to, requests, sampled, partial } = sums;
  return {
    from,
    to,
    requests,
    buckets: buckets.map(({ latencies, ...bucket }) => ({
      ...bucket,
      p50: percentile(latencies, 0.5),
      p95: percentile(latencies, 0.95),
    })),
    domains: topOf(domains).map(([domain, requests]) => ({ domain, requests })),
    statuses: topOf(statuses).map(([status, requests]) => ({ status, requests })),
    latest: {
      requests: latest.requests,
      paths: topOf(latest.paths).map(([path, requests]) => ({ path, requests })),
      ips: topOf(latest.ips).map(([ip, requests]) => ({ ip, requests })),
      userAgents: topOf(latest.userAgents).map(([userAgent, requests]) => ({
        userAgent,
        requests,
      })),
      ...(latest.partial && { partial: true as const }),
    },
    ...(sampled && { sampled }),
    ...(partial && { partial: true as const }),
  };
}

/** @param all of the same range in the same buckets, at least one */
export function addSums(all: readonly LogSums[]): LogSums {
  const [{ from, to, buckets }] = all as [LogSums];
  const isPartial = (one: { partial?: true }) => one.partial;
  // The least exact one is as exact as the sum.
  const least = Math.max(...all.map(({ sampled }) => sampled?.of ?? 1));
  return {
    from,
    to,
    requests: total(all.map(({ requests }) => requests)),
    buckets: buckets.map(({ from, to }, at) => {
      const each = all.flatMap(({ buckets }) => buckets[at] ?? []);
      const of = (name: keyof LogSums['buckets'][number]['requests']) =>
        total(each.map(({ requests }) => requests[name]));
      const requests = {
        '1xx': of('1xx'),
        '2xx': of('2xx'),
        '3xx': of('3xx'),
        '4xx': of('4xx'),
        '5xx': of('5xx'),
        other: of('other'),
      };
      const latencies = addLatencies(each.map((one) => one.latencies));
      const isUnread = each.some(({ unread }) => unread);
      return { from, to, requests, latencies, ...(isUnread && { unread: true as const }) };
    }),
    domains: addTallies(all.map(({ domains }) => domains)),
    statuses: addTallies(all.map(({ statuses }) => statuses)),
    latest: {
      requests: total(all.map(({ latest }) => latest.requests)),
      paths: addTallies(all.map(({ latest }) => latest.paths)),
      ips: addTallies(all.map(({ latest }) => latest.ips)),
      userAgents: addTallies(all.map(({ latest }) => latest.userAgents)),
      ...(all.some(({ latest }) => isPartial(latest)) && { partial: true as const }),
    },
    ...(least > 1 && { sampled: { of: least } }),
    ...(all.some(isPartial) && { partial: true as const }),
  };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Adds up the requests that took as long. */
export const addLatencies = (all: readonly Latencies[]): Latencies =>
  addTallies(all).sort(([a], [b]) => a - b);

function addTallies<T>(all: readonly (readonly [T, number][])[]): [T, number][] {
  const [only, ...others] = all;
  if (only && others.length === 0) return [...only];
  const sums = new Map<T, number>();
  for (const [name, count] of all.flat()) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums];
}

/**
 * The latency that a share of the requests did not exceed; null without requests.
 * @param latencies ascending
 */
export function percentile(latencies: Latencies, share: number): number | null {
  let left = Math.ceil(total(latencies.map(([, count]) => count)) * share);
  for (const [milliseconds, count] of latencies) {
    left -= count;
    if (left <= 0) return milliseconds;
  }
  return null;
}

/** The largest counts; equal ones in the order of their names, so that the list is stable. */
function topOf<T extends string | number>(tally: readonly [T, number][]): [T, number][] {
  const list: [T, number][] = [];
  let least = 0;
  for (const one of tally) {
    if (list.length === TOP && one[1] < least) continue;
    const after = list.findIndex((other) => compare(one, other) < 0);
    list.splice(after < 0 ? list.length : after, 0, one);
    if (list.length > TOP) list.pop();
    least = list.at(-1)?.[1] ?? 0;
  }
  return list;
}

function compare<T>([a, countA]: [T, number], [b, countB]: [T, number]): number {
  return countB - countA || (a < b ? -1 : a > b ? 1 : 0);
}
