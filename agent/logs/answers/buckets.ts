/** Counts requests by time, status class and latency, or by a name. */
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import { LATENCY_STEPS, latenciesOf } from '../line/latency.ts';

export type Buckets = {
  readonly length: number;
  /** The bucket that a time is in, or -1. */
  indexOf(time: number): number;
  /** The one bucket that holds all times of a block; -1 if there is none. */
  indexOfAll(block: { earliest: number; latest: number; timeless: number }): number;
  /** Whether all times in [first, last] are in the same bucket, or all in none. */
  isOne(first: number, last: number): boolean;
  add(bucket: number, statusClass: number, requests: number): void;
  /** Adds the latencies in [from, to) of a list of steps, each of them as often as `weight` says. */
  addSteps(bucket: number, steps: Uint8Array, from: number, to: number, weight: number): void;
  /** Some entries of the block may be in the range: a bucket of its times without a `sawOne` is unread. */
  expectSome(block: { earliest: number; latest: number }): void;
  /** An entry was read whose time is in a bucket. */
  sawOne(bucket: number): void;
  answer(): LogSums['buckets'];
};

const CLASSES = 6;

/**
 * What Caddy logs since 2.11.6 if the client left before there was an answer; 0 until then. Nobody got
 * this status, so it is in no class.
 */
const CLIENT_LEFT = 499;

/** 1 to 5 for 1xx to 5xx, 0 for any other status. */
export function classOf(status: number): number {
  if (status === CLIENT_LEFT) return 0;
  const found = Math.floor(status / 100);
  return found >= 1 && found <= 5 ? found : 0;
}

/**
 * Divides [from, to) into equal buckets. Times are in whole milliseconds.
 * @param wanted number of buckets; fewer if the range has fewer milliseconds
 */
export function createBuckets(from: number, to: number, wanted: number): Buckets {
  const length = Math.max(0, Math.min(wanted, to - from));
  const edges = Float64Array.from({ length: length + 1 }, (_, i) =>
    length === 0 ? from : from + Math.floor((i * (to - from)) / length),
  );
  const edge = (bucket: number) => edges[bucket] as number;
  const requests = new Uint32Array(length * CLASSES);
  const latencies = new Uint32Array(length * LATENCY_STEPS);
  const [isExpected, isSeen] = [new Uint8Array(length), new Uint8Array(length)];

  // The bucket found last.
  let [last, lastFrom, lastTo] = [-1, 0, 0];

  function indexOf(time: number): number {
    // Most entries come in the order of their times.
    if (time >= lastFrom && time < lastTo) return last;
    if (!(time >= from && time < to)) return -1;
    let bucket = Math.min(length - 1, Math.floor(((time - from) / (to - from)) * length));
    while (time < edge(bucket)) bucket--;
    while (time >= edge(bucket + 1)) bucket++;
    last = bucket;
    lastFrom = edge(bucket);
    lastTo = edge(bucket + 1);
    return bucket;
  }

  return {
    length,
    indexOf,
    indexOfAll({ earliest, latest, timeless }) {
      const bucket = timeless === 0 ? indexOf(earliest) : -1;
      return bucket >= 0 && indexOf(latest) === bucket ? bucket : -1;
    },
    isOne(first, last) {
      const bucket = indexOf(first);
      return bucket === indexOf(last) && (bucket >= 0 || last < from || first >= to);
    },
    add(bucket, statusClass, count) {
      const i = bucket * CLASSES + statusClass;
      requests[i] = (requests[i] as number) + count;
    },
    expectSome({ earliest, latest }) {
      const [first, last] = [Math.max(earliest, from), Math.min(latest, to - 1)];
      if (first <= last) isExpected.fill(1, indexOf(first), indexOf(last) + 1);
    },
    sawOne(bucket) {
      isSeen[bucket] = 1;
    },
    addSteps(bucket, steps, start, end, weight) {
      const first = bucket * LATENCY_STEPS;
      for (let i = start; i < end; i++) {
        const step = first + (steps[i] as number);
        latencies[step] = (latencies[step] as number) + weight;
      }
    },
    answer: () =>
      Array.from({ length }, (_, bucket) => {
        const of = (statusClass: number) => requests[bucket * CLASSES + statusClass] as number;
        return {
          from: new Date(edge(bucket)).toISOString(),
          to: new Date(edge(bucket + 1)).toISOString(),
          requests: {
            '1xx': of(1),
            '2xx': of(2),
            '3xx': of(3),
            '4xx': of(4),
            '5xx': of(5),
            other: of(0),
          },
          latencies: latenciesOf(
            latencies.subarray(bucket * LATENCY_STEPS, (bucket + 1) * LATENCY_STEPS),
          ),
          ...(isExpected[bucket] === 1 && isSeen[bucket] === 0 && { unread: true as const }),
        };
      }),
  };
}

type Tally<T> = {
  add(name: T, count: number): void;
  list(): [name: T, count: number][];
};

export function createTally<T extends string | number>(): Tally<T> {
  const counts = new Map<T, number>();
  return {
    add(name, count) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    },
    list: () => [...counts],
  };
}
