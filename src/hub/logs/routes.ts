/** `/logs`: pages of the access log, statistics and a live stream. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { eventStream, exportStream, jsonText } from '../../shared/http.ts';
import {
  ExportQuery,
  LogPage,
  LogQuery,
  LogStats,
  StatsQuery,
  TailQuery,
} from '../../shared/wire/logs.ts';
import type { Agents } from '../agents/agents.ts';
import { type Guard, isViewer } from '../auth/guard.ts';
import { AgentQuery } from '../http/params.ts';
import { route } from '../http/route.ts';
import { EVENT_ID } from './event-ids.ts';
import { createLogReader } from './reader.ts';

const ENTRY = {
  timestamp: '2026-11-20T18:00:00.123Z',
  domain: 'app.example.org',
  method: 'GET',
  path: '/',
  status: 200,
  latency: '1.234ms',
  ip: '192.0.2.7',
};
const EXAMPLE_ID = '6b0c4b7d1f6a9e35-10240';

const RANGE = { from: '2026-11-20T18:00:00.000Z', to: '2026-11-20T19:00:00.000Z' };
const PER_CLASS = { '1xx': 0, '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };

/** A dashboard needs one for each tab that shows the log. */
const TAILS = 20;
/** Each reads the whole log from disk. */
const EXPORTS = 2;

/** The id of an event of one agent or of several. */
const After = t.Object({
  after: t.Optional(
    t.String({
      pattern: `^(${EVENT_ID})?$`,
      description: 'The id of the last event received. `Last-Event-ID` takes precedence.',
      example: EXAMPLE_ID,
    }),
  ),
});

export function logRoutes({ agents, guard }: { agents: Agents; guard: Guard }) {
  const reader = createLogReader(agents);
  const takeTail = createStreamLimit(TAILS, 'follow');
  const takeExport = createStreamLimit(EXPORTS, 'export');
  return new Elysia({ name: 'logs' })
    .use(guard)
    .get(
      '/logs',
      async ({ query: { details, ...query }, who }) => {
        // They have the query, also in `Referer`; without them, a path has none.
        const isWhole = details !== undefined && !isViewer(who);
        return jsonText(await reader.page(isWhole ? { ...query, details } : query));
      },
      route({
        id: 'listLogs',
        tag: 'Logs',
        summary: 'Get a page of the access log, newest first',
        description: [
          'A page past the end is empty. An empty parameter counts as absent. With several agents, it is',
          'a page of all logs together: by time, and by agent within a millisecond.',
        ].join('\n'),
        access: 'read',
        query: t.Composite([LogQuery, AgentQuery]),
        asks: 'agent',
        returns: LogPage,
        example: { logs: [ENTRY], total: 1, page: 1, pageSize: 50 },
      }),
    )
    .get(
      '/logs/tail',
      async ({ query, request, who, isAllowed }) => {
        const ended = takeTail(who.user.id);
        const lastEventId = request.headers.get('last-event-id');
        return eventStream(await reader.tail(query, lastEventId, { mayRead: isAllowed, ended }));
      },
      route({
        id: 'tailLogs',
        tag: 'Logs',
        summary: 'Follow the access log as server-sent events',
        description: [
          'The data of an `entry` event is a LogEntry; that of a `gap` event is `{"missed": N}`, the',
          'number of missed entries, or `null` if it is unknown. A comment keeps the',
          'connection alive every 15 seconds. The stream ends with the session or token that opened it.',
          'An account can have 20 streams at once. With several agents, it is a stream of all logs, which',
          'continues while an agent is offline; data has the name of its `agent`.',
        ].join('\n'),
        access: 'read',
        query: t.Composite([t.Omit(TailQuery, ['after']), After, AgentQuery]),
        asks: 'agent',
        refuses: ['RATE_LIMITED'],
        returns: t.String(),
        requestHeaders: ['Last-Event-ID'],
        mediaType: 'text/event-stream',
        example: `event: entry\nid: ${EXAMPLE_ID}\ndata: ${JSON.stringify(ENTRY)}\n\n`,
      }),
    )
    .get(
      '/logs/export',
      async ({ query, who, isAllowed }) => {
        const ended = takeExport(who.user.id);
        const answer = await reader.export(query, { mayRead: isAllowed, ended });
        const name = `access-log.${query.format || 'ndjson'}`;
        return exportStream(answer, {
          'Content-Disposition': `attachment; filename="${name}"`,
          ...(answer.missing.length > 0 && { 'X-Missing-Agents': answer.missing.join(', ') }),
        });
      },
      route({
        id: 'exportLogs',
        tag: 'Logs',
        summary: 'Download the matching entries of the access log, oldest first',
        description: [
          'At most as many entries as the header `X-Export-Limit` says; `X-Total-Count` is the number',
          'of matches, and missing if it takes too long to count. If something goes wrong, the',
          'connection breaks off. In CSV, a value that a spreadsheet would take for a formula starts',
          'with an apostrophe. An account can have 2 exports at once. With several agents, an entry has the',
          'name of its `agent`, and `X-Missing-Agents` names those that could not be reached.',
        ].join('\n'),
        access: 'read',
        needs: 'editor',
        query: t.Composite([ExportQuery, AgentQuery]),
        asks: 'agent',
        refuses: ['RATE_LIMITED'],
        returns: t.String(),
        mediaType: 'application/x-ndjson',
        example: `${JSON.stringify(ENTRY)}\n`,
      }),
    )
    .get(
      '/logs/stats',
      ({ query }) => reader.stats(query),
      route({
        id: 'getLogStats',
        tag: 'Logs',
        summary: 'Get requests and latencies over time',
        description: [
          'Visitors’ requests: those of checks do not count. With several agents, these are of all logs',
          'together. If reading all the lines that a filter needs would take more than about a second,',
          'the numbers are estimates, and `sampled` says what part of the lines they come from.',
        ].join('\n'),
        access: 'read',
        query: t.Composite([StatsQuery, AgentQuery]),
        asks: 'agent',
        returns: LogStats,
        example: {
          ...RANGE,
          requests: 1,
          buckets: [{ ...RANGE, requests: PER_CLASS, p50: 1.2, p95: 1.2 }],
          domains: [{ domain: ENTRY.domain, requests: 1 }],
          statuses: [{ status: 200, requests: 1 }],
          latest: {
            requests: 1,
            paths: [{ path: '/', requests: 1 }],
            ips: [{ ip: ENTRY.ip, requests: 1 }],
            userAgents: [{ userAgent: 'curl/8.14.1', requests: 1 }],
          },
        },
      }),
    );
}

/**
 * Counts one more stream of an account; the returned function counts it out again, once.
 * @throws Failure RATE_LIMITED if the account has no stream left
 */
type StreamLimit = (userId: string) => () => void;

/** Seconds after which the hub has noticed that a reader is gone. */
const RETRY_AFTER = 15;

/** @param most for each account @param does what an account does with them, for the message */
function createStreamLimit(most: number, does: string): StreamLimit {
  const open = new Map<string, number>();
  return (userId) => {
    const count = open.get(userId) ?? 0;
    if (count >= most) {
      const message = `An account can ${does} the log ${most} times at once.`;
      throw new Failure('RATE_LIMITED', message, { retryAfter: RETRY_AFTER });
    }
    open.set(userId, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const rest = (open.get(userId) ?? 1) - 1;
      if (rest > 0) open.set(userId, rest);
      else open.delete(userId);
    };
  };
}
