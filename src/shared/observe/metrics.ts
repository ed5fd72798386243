/**
 * Metrics in Prometheus' text format. Imports only the parts of prom-client that it needs: the whole
 * (default metrics, cluster, summaries) costs 40 ms and 12 MB at each start, these 7 ms and 2 MB.
 */
import { type Context, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import { within } from '../async.ts';
import { Failure } from '../failure.ts';
import { type Log, reasonOf } from '../log.ts';
import { isFromHere } from '../loopback.ts';
import type { RequestSeen } from './requests.ts';

type Sample = { labels?: Readonly<Record<string, string>>; value: number };

/** Values that are collected for each scrape, in base units; a counter's name ends in `_total`. */
export type Family = {
  name: string;
  help: string;
  type: 'gauge' | 'counter';
  /** Required if there may be no samples: without labels that would read as 0. */
  labelNames?: readonly string[];
  samples: readonly Sample[];
};

const family =
  (type: Family['type']) =>
  (name: string, help: string, of: number | boolean | readonly Sample[]): Family => ({
    ...{ name, help, type },
    samples: typeof of === 'object' ? of : [{ value: Number(of) }],
  });

/** A family by its samples, or by the one value of a family without labels; true is 1, false is 0. */
export const gauge = family('gauge');
export const counter = family('counter');

/** Collects families; one that fails or takes too long is left out of that scrape. */
export type Collector = () => readonly Family[] | Promise<readonly Family[]>;

type MetricsDeps = {
  collectors: readonly Collector[];
  log: Log;
  /** Milliseconds that a collector may take. */
  deadline?: number;
};

export type Metrics = {
  /** Registers a counter. @throws Error if the name is taken */
  counter(name: string, help: string, labelNames?: string[]): Counter;
  /** Registers a histogram of seconds. @throws Error if the name is taken */
  histogram(name: string, help: string, labelNames?: string[]): Histogram;
  readonly contentType: string;
  /** All metrics as they are now. */
  text(): Promise<string>;
};

/** Prometheus itself gives up after ten seconds. */
const DEADLINE_MS = 4_000;

/** Seconds: a read takes under one millisecond, a publish of 5,000 sites half a second. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics({ collectors, log, deadline = DEADLINE_MS }: MetricsDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  let collected: readonly Family[] = [];

  function show({ name, help, type, labelNames: named = [], samples }: Family): void {
    const used = samples.flatMap(({ labels = {} }) => Object.keys(labels));
    const labelNames = [...new Set([...named, ...used])];
    const options = { name, help, labelNames, registers };
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
    for (const { labels = {}, value } of samples) metric.inc(labels, value);
  }

  async function collect(collector: Collector): Promise<readonly Family[]> {
    try {
      return await within(Promise.resolve(collector()), deadline, () => {
        throw new Error('took too long');
      });
    } catch (error) {
      log('metrics incomplete', { reason: reasonOf(error) }, 'warn');
      return [];
    }
  }

  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),

    histogram: (name, help, labelNames = []) =>
      new Histogram({ name, help, labelNames, buckets: BUCKETS, registers }),

    contentType: registry.contentType,

    async text() {
      const families = (await Promise.all(collectors.map(collect))).flat();
      // Created again each time, so that removed labels disappear; a scrape in progress keeps its own.
      for (const { name } of collected) registry.removeSingleMetric(name);
      collected = families;
      for (const family of families) show(family);
      return registry.metrics();
    },
  };
}

/** Counts and times the requests that `observeRequests` reports. */
export function countRequests(metrics: Metrics): (request: RequestSeen) => void {
  const total = metrics.counter(
    'signalbox_http_requests_total',
    'Answered requests; a path without a route is "other".',
    ['method', 'route', 'status'],
  );
  const duration = metrics.histogram(
    'signalbox_http_request_duration_seconds',
    'Time until the response began.',
    ['method', 'route'],
  );
  return ({ method, route, status, seconds }) => {
    total.inc({ method, route, status: String(status) });
    duration.observe({ method, route }, seconds);
  };
}

/** Process metrics, under the names that Prometheus' own libraries use. @param now to derive the start time from the process's age */
export function collectProcess(version: string, part: 'hub' | 'agent', now: () => Date): Collector {
  const startedAt = now().getTime() / 1000 - process.uptime();
  return () => {
    const { user, system } = process.cpuUsage();
    return [
      gauge('signalbox_build_info', 'Version and part of this program; always 1.', [
        { labels: { version, part, bun: Bun.version }, value: 1 },
      ]),
      gauge('process_start_time_seconds', 'Start time of the process, since 1970.', startedAt),
      counter(
        'process_cpu_seconds_total',
        'CPU time used, user and system.',
        (user + system) / 1e6,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    ];
  };
}

type MetricsRoutesDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Whether a request carries a valid token. */
  hasToken: (request: Request) => boolean;
  /** The address at the other end of a request's socket. */
  peerOf: (request: Request) => string;
  /** Describes the route in the OpenAPI document. */
  docs?: { response: Record<number, TSchema>; detail: DocumentDecoration };
};

const METRICS_PATH = '/metrics';

const NO_DOCS = { response: {}, detail: {} };

/**
 * The route `/metrics` as a plugin, for Prometheus with a bearer token. Without one it answers only
 * requests made on this machine.
 */
export function metricsRoutes({ metrics, hasToken, peerOf, docs = NO_DOCS }: MetricsRoutesDeps) {
  const answer = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    if (!isFromHere(request, peerOf(request)) && !hasToken(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is required.');
    }
    set.headers['Content-Type'] = metrics.contentType;
    set.headers['Cache-Control'] = 'no-store';
    return metrics.text();
  };
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, answer, docs);
}
