import type { LogStats } from '../../../src/shared/wire.ts';
import { LATENCY_STEPS, latencyOf } from '../index/latency.ts';

/** Counts requests by time, class of status and latency. */
export type Buckets = {
  /** The bucket of a time, or -1. */
  at(time: number): number;
  add(bucket: number, statusClass: number, requests: number): void;
  /** Counts latencies: those in [from, to) of a list of steps. */
  addSteps(bucket: number, steps: Uint8Array, from: number, to: number): void;
  answer(): LogStats['buckets'];
};

const CLASSES = 6;

/** 1 to 5, or 0 for what is none of these. */
export function classOf(status: number): number {
  const found = Math.floor(status / 100);
  return found >= 1 && found <= 5 ? found : 0;
}

/** Divides [from, to), in whole milliseconds, into `wanted` buckets or one per millisecond. */
export function createBuckets(from: number, to: number, wanted: number): Buckets {
  const length = Math.max(0, Math.min(wanted, to - from));
  const edges = Float64Array.from({ length: length + 1 }, (_, i) =>
    length === 0 ? from : from + Math.floor((i * (to - from)) / length),
  );
  const edge = (at: number) => edges[at] as number;
  const requests = new Uint32Array(length * CLASSES);
  const counts = new Uint32Array(length * LATENCY_STEPS);

  // The bucket asked for last.
  let [last, lastFrom, lastTo] = [-1, 0, 0];

  function percentile(bucket: number, share: number): number | null {
    const ofBucket = counts.subarray(bucket * LATENCY_STEPS, (bucket + 1) * LATENCY_STEPS);
    let total = 0;
    for (let step = 0; step < LATENCY_STEPS; step++) total += ofBucket[step] as number;
    if (total === 0) return null;
    let left = Math.ceil(total * share);
    let step = 0;
    while (left > (ofBucket[step] as number)) left -= ofBucket[step++] as number;
    return latencyOf(step);
  }

  return {
    at(time) {
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
    },
    add(bucket, statusClass, count) {
      const at = bucket * CLASSES + statusClass;
      requests[at] = (requests[at] as number) + count;
    },
    addSteps(bucket, list, start, end) {
      const at = bucket * LATENCY_STEPS;
      for (let i = start; i < end; i++) {
        const step = at + (list[i] as number);
        counts[step] = (counts[step] as number) + 1;
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
          p50: percentile(bucket, 0.5),
          p95: percentile(bucket, 0.95),
        };
      }),
  };
}
