/**
 * Numbers in Prometheus' text format. The parts of prom-client are loaded by themselves: its whole
 * (default metrics, cluster, summaries) takes 40 ms and 12 MB at each start, these 7 ms and 2 MB.
 */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import { type Log, reasonOf } from './log.ts';
import type { RequestSeen } from './requests.ts';

export type Sample = { labels?: Readonly<Record<string, string>>; value: number };

/** Values that are looked up when somebody asks; base units, a counter's name ends in `_total`. */
export type Family = {
  name: string;
  help: string;
  type: 'gauge' | 'counter';
  /** Needed where there may be no sample: without any label that would read as 0. */
  labelNames?: readonly string[];
  samples: readonly Sample[];
};

/** Looks some of them up; one that fails or takes too long is left out of that answer. */
export type Collector = () => readonly Family[] | Promise<readonly Family[]>;

export type MetricsDeps = { collectors: readonly Collector[]; log: Log; deadline?: number };
export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus itself gives up after ten seconds. */
const DEADLINE_MS = 4_000;

/** Seconds: a read takes under one millisecond, a publish of 5,000 sites half a second. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics({ collectors, log, deadline = DEADLINE_MS }: MetricsDeps) {
  const registry = new Registry();
  const registers = [registry];
  let looked: readonly Family[] = [];

  function show({ name, help, type, labelNames: named = [], samples }: Family): void {
    const used = samples.flatMap(({ labels = {} }) => Object.keys(labels));
    const labelNames = [...new Set([...named, ...used])];
    const options = { name, help, labelNames, registers };
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
    for (const { labels = {}, value } of samples) metric.inc(labels, value);
  }

  async function collect(collector: Collector): Promise<readonly Family[]> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('took too long')), deadline);
    });
    try {
      return await Promise.race([collector(), late]);
    } catch (error) {
      log('metrics incomplete', { reason: reasonOf(error) }, 'warn');
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),

    /** @param help of a time in seconds */
    histogram: (name: string, help: string, labelNames: string[] = []) =>
      new Histogram({ name, help, labelNames, buckets: BUCKETS, registers }),

    contentType: registry.contentType,

    /** All of them as they are now. */
    async text(): Promise<string> {
      const families = (await Promise.all(collectors.map(collect))).flat();
      // Made anew each time, so that what is gone is gone; an answer under way keeps its own.
      for (const { name } of looked) registry.removeSingleMetric(name);
      looked = families;
      for (const family of families) show(family);
      return registry.metrics();
    },
  };
}

/** Counts what `observeRequests` has seen. */
export function countRequests(metrics: Metrics): (request: RequestSeen) => void {
  const total = metrics.counter(
    'signalbox_http_requests_total',
    'Requests answered; a path without a route is "other".',
    ['method', 'route', 'status'],
  );
  const duration = metrics.histogram(
    'signalbox_http_request_duration_seconds',
    'Time until an answer began.',
    ['method', 'route'],
  );
  return ({ method, route, status, seconds }) => {
    total.inc({ method, route, status: String(status) });
    duration.observe({ method, route }, seconds);
  };
}
