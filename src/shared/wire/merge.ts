/** What a hub asks an agent for to make one answer of the logs of several. */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';
import { conditions, Latencies, LogEntry, PerClass, Unread } from './logs.ts';

/**
 * The times of entries are whole milliseconds since 1970. An entry without a time counts as written
 * then, before any other. A valid `Date` is later.
 */
export const TIMELESS = -8.64e15 - 1;

const Time = integer();
const Count = integer({ minimum: 0 });

/** The most entries of a slice, and the most times. */
export const MERGE_LIMIT = 1000;

/**
 * Asks about the matching entries in the order of their times, newest first; those of one
 * millisecond are in the order of a page. Later requests of the same answer repeat the `pin`.
 */
export const MergeRequest = t.Object({
  conditions: t.Object(conditions),
  pin: t.Optional(t.String({ maxLength: 200 })),
  /** How many entries have each of these times or a later one? */
  times: t.Optional(t.Array(Time, { maxItems: MERGE_LIMIT })),
  /** Where are the entries, roughly? */
  spans: t.Optional(t.Boolean()),
  /** Of the entries in [from, to), those after the newest `skip`. */
  slice: t.Optional(
    t.Object({
      from: t.Optional(Time),
      to: t.Optional(Time),
      skip: Count,
      limit: integer({ minimum: 0, maximum: MERGE_LIMIT }),
    }),
  ),
  details: t.Optional(t.Boolean()),
});
export type MergeRequest = Static<typeof MergeRequest>;

export const MergeAnswer = t.Object({
  /** What was in the log when it was asked first; another than asked if that is gone. */
  pin: t.String(),
  total: Count,
  /** Of all entries with a time, not only of those that match; null if there are none. */
  range: t.Union([t.Object({ earliest: Time, latest: Time }), t.Null()]),
  /** In the order of the times. */
  counts: t.Optional(t.Array(Count)),
  /** Groups of entries: none is older than the first time or newer than the second. */
  spans: t.Optional(t.Array(t.Tuple([Time, Time, Count]))),
  /** The times of the slice, and its entries, null for a line that is damaged. */
  times: t.Optional(t.Array(Time)),
  logs: t.Optional(t.Array(t.Union([LogEntry, t.Null()]))),
  partial: t.Optional(t.Literal(true)),
});
export type MergeAnswer = Static<typeof MergeAnswer>;

const Tally = t.Array(t.Tuple([t.String(), Count]));

/** `LogStats` before its percentiles and top tens are taken, so that several can be added up. */
export const LogSums = t.Object({
  from: t.Union([t.String(), t.Null()]),
  to: t.Union([t.String(), t.Null()]),
  requests: Count,
  buckets: t.Array(
    t.Object({
      from: t.String(),
      to: t.String(),
      requests: PerClass,
      latencies: Latencies,
      unread: Unread,
    }),
  ),
  domains: Tally,
  statuses: t.Array(t.Tuple([integer(), Count])),
  latest: t.Object({
    requests: Count,
    paths: Tally,
    ips: Tally,
    userAgents: Tally,
    partial: t.Optional(t.Literal(true)),
  }),
  /** One of so many lines was read; the numbers are multiplied already. */
  sampled: t.Optional(t.Object({ of: integer({ minimum: 2 }) })),
  partial: t.Optional(t.Literal(true)),
});
export type LogSums = Static<typeof LogSums>;
