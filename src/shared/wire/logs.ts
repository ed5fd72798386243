/** Queries of the access log and their answers: pages, exports, numbers over time. */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';
import { LOG_FILTERS } from '../patterns.ts';

/** The filters of a log, as they are in a URL. */
export const conditions = {
  domain: t.Optional(
    t.String({
      ...LOG_FILTERS.domain,
      description:
        'The host without its port, in Unicode or punycode; or several, with spaces between them. A label `*` stands for any one.',
      example: 'example.org *.example.org',
    }),
  ),
  status: t.Optional(
    t.String({ ...LOG_FILTERS.status, description: 'a status, or `1xx` to `5xx`' }),
  ),
  method: t.Optional(t.String({ ...LOG_FILTERS.method, description: 'upper or lower case' })),
  path: t.Optional(t.String({ ...LOG_FILTERS.path, description: 'the start of the path' })),
  q: t.Optional(t.String({ ...LOG_FILTERS.q, description: 'any part of the path' })),
  ip: t.Optional(
    t.String({ ...LOG_FILTERS.ip, description: 'The client’s address.', example: '192.0.2.7' }),
  ),
  userAgent: t.Optional(
    t.String({
      ...LOG_FILTERS.userAgent,
      description: 'any part of the user agent, in upper or lower case',
    }),
  ),
  from: t.Optional(
    t.String({
      ...LOG_FILTERS.from,
      description: 'ISO 8601, UTC if it has no zone; inclusive.',
      example: '2026-11-20T18:00Z',
    }),
  ),
  to: t.Optional(
    t.String({
      ...LOG_FILTERS.to,
      description: 'ISO 8601, UTC if it has no zone; exclusive.',
      example: '2026-11-21',
    }),
  ),
};

/**
 * The log filters in a URL; an empty value counts as missing. Status 0–999, page from 1, pageSize
 * 1–500; `from` is inclusive, `to` exclusive.
 */
export const LogQuery = t.Object({
  ...conditions,
  page: t.Optional(
    t.String({ pattern: '^([1-9][0-9]{0,14})?$', description: 'Starts at 1.', example: '1' }),
  ),
  pageSize: t.Optional(
    t.String({
      pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)?$',
      description: '1 to 500; 50 by default.',
      example: '50',
    }),
  ),
  details: t.Optional(
    t.String({
      pattern: '^(true)?$',
      description:
        '`true`: with everything that the proxy wrote about each request; not for viewers.',
    }),
  ),
});
export type LogQuery = Static<typeof LogQuery>;

/** `after`: the id of the last event received; the header Last-Event-ID takes precedence. */
export const TailQuery = t.Object({
  ...conditions,
  after: t.Optional(t.String({ pattern: '^([0-9a-f]{16}-[0-9]{1,15})?$' })),
});
export type TailQuery = Static<typeof TailQuery>;

export const LogEntry = t.Object(
  {
    timestamp: t.String({ description: 'ISO 8601 UTC with milliseconds' }),
    domain: t.String(),
    method: t.String(),
    path: t.String(),
    status: integer(),
    latency: t.String({
      description: 'milliseconds with at most 3 decimals',
      examples: ['1.234ms'],
    }),
    ip: t.String(),
    agent: t.Optional(t.String({ description: 'with several agents: the one whose log has it' })),
    details: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          'only with `details`: everything that the proxy wrote about the request, without cookies and credentials',
      }),
    ),
    error: t.Optional(
      t.String({ description: 'with the details: the error, in the proxy’s words' }),
    ),
    cause: t.Optional(
      t.String({
        description:
          'with the details: the cause of the error, as of `/explanations`, if it is certain',
      }),
    ),
  },
  { title: 'LogEntry' },
);
export type LogEntry = Static<typeof LogEntry>;

/** In the answers of several agents. */
const Missing = t.Optional(t.Array(t.String(), { description: 'the unreachable agents, if any' }));

export const LogPage = t.Object(
  {
    logs: t.Array(LogEntry),
    total: integer(),
    page: integer(),
    pageSize: integer(),
    partial: t.Optional(
      t.Literal(true, {
        description: 'not all of the log was read: there may be more, older entries',
      }),
    ),
    missing: Missing,
  },
  { title: 'LogPage' },
);
export type LogPage = Static<typeof LogPage>;

/** As for a page, but without pages: all matches, oldest first. */
export const ExportQuery = t.Object({
  ...conditions,
  format: t.Optional(
    t.String({
      pattern: '^(ndjson|csv)?$',
      description: '`ndjson` or `csv`.',
      example: 'csv',
    }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;

/** `from` is inclusive, `to` exclusive; without them, the whole log. */
export const StatsQuery = t.Object({
  ...conditions,
  buckets: t.Optional(
    t.String({
      pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)?$',
      description: 'How many buckets to divide the range into, 1 to 500.',
      example: '24',
    }),
  ),
});
export type StatsQuery = Static<typeof StatsQuery>;

export const Latency = t.Union([t.Number(), t.Null()], {
  description: 'milliseconds, accurate to 6.25 %',
});
const Requests = integer();
export const PerClass = t.Object({
  '1xx': Requests,
  '2xx': Requests,
  '3xx': Requests,
  '4xx': Requests,
  '5xx': Requests,
  other: Requests,
});

/** In numbers that were made of a part of the lines. */
export const Unread = t.Optional(
  t.Literal(true, {
    description: 'sampled, and no line of this time was read: the number is unknown, not 0',
  }),
);

/** Figures over time; entries without a time are not counted. */
export const LogStats = t.Object(
  {
    from: t.Union([t.String(), t.Null()], {
      description: 'ISO 8601; null if there are no entries',
    }),
    to: t.Union([t.String(), t.Null()]),
    requests: integer(),
    buckets: t.Array(
      t.Object({
        from: t.String(),
        to: t.String(),
        requests: PerClass,
        p50: Latency,
        p95: Latency,
        unread: Unread,
      }),
    ),
    domains: t.Array(t.Object({ domain: t.String(), requests: Requests }), {
      description: 'the ten with the most requests; only the first 16,384 domains are counted',
    }),
    statuses: t.Array(t.Object({ status: integer(), requests: Requests })),
    latest: t.Object(
      {
        requests: Requests,
        paths: t.Array(t.Object({ path: t.String(), requests: Requests })),
        ips: t.Array(t.Object({ ip: t.String(), requests: Requests })),
        userAgents: t.Array(t.Object({ userAgent: t.String(), requests: Requests }), {
          description: 'an empty one stands for requests without',
        }),
        partial: t.Optional(t.Literal(true)),
      },
      {
        description:
          'of the newest requests in the range; partial if there are more. If lines had to be read to count the requests, of all these lines',
      },
    ),
    sampled: t.Optional(
      t.Object(
        {
          of: integer({ description: 'one of so many lines was read' }),
          agents: t.Optional(
            t.Record(t.String(), integer(), {
              description: 'with several agents: the same for each that read only a part',
            }),
          ),
        },
        {
          description:
            'all numbers are estimates, multiplied already: to read all lines would have taken too long. With several agents, `of` is that of the least exact',
        },
      ),
    ),
    partial: t.Optional(t.Literal(true, { description: 'not all of the log was read' })),
    missing: Missing,
  },
  { title: 'LogStats' },
);
export type LogStats = Static<typeof LogStats>;

/** As for the stats, but always of all domains. */
export const ActivityQuery = t.Object({
  from: conditions.from,
  to: conditions.to,
  buckets: t.Optional(
    t.String({
      pattern: '^([1-9]|[1-5][0-9]|60)?$',
      description: 'How many buckets to divide the hour into, 1 to 60; 12 by default.',
      example: '12',
    }),
  ),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

const PerBucket = t.Array(Requests, { description: 'one number per bucket' });
/** Requests over time, in buckets of equal length, oldest first. */
export const Activity = t.Object({
  requests: PerBucket,
  status4xx: PerBucket,
  status5xx: PerBucket,
});

/** Pairs of milliseconds, accurate to 6.25 %, and the number of requests that took as long; ascending. */
export const Latencies = t.Array(t.Tuple([t.Number(), Requests]));
export type Latencies = Static<typeof Latencies>;

/** The requests of each domain that had any; entries without a time are not counted. */
export const LogActivity = t.Object({
  from: t.Union([t.String(), t.Null()]),
  to: t.Union([t.String(), t.Null()]),
  buckets: integer(),
  domains: t.Record(t.String(), t.Composite([Activity, t.Object({ latencies: Latencies })])),
  /** Of the oldest entry that the log still has; null: it is empty. Agents of older releases do not say it. */
  since: t.Optional(t.Union([t.String(), t.Null()])),
  partial: t.Optional(t.Literal(true, { description: 'not all of the log was read' })),
  missing: Missing,
});
export type LogActivity = Static<typeof LogActivity>;
