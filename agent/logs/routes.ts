/** `/logs`: pages of the access log, numbers over time, streams, and what a hub merges. */
import { Elysia } from 'elysia';
import { Failure } from '../../src/shared/failure.ts';
import { eventStream, exportStream, jsonText } from '../../src/shared/http.ts';
import {
  ActivityQuery,
  ExportQuery,
  LogActivity,
  type LogEntry,
  type LogPage,
  LogQuery,
  LogStats,
  StatsQuery,
  TailQuery,
} from '../../src/shared/wire/logs.ts';
import { type LogSums, type MergeAnswer, MergeRequest } from '../../src/shared/wire/merge.ts';
import { AgentErrorBody } from '../../src/shared/wire/protocol.ts';
import { parseActivityQuery } from './answers/activity.ts';
import { parseConditions, parseLogQuery } from './answers/filter.ts';
import { parseMergeRequest } from './answers/merge.ts';
import { parseStatsQuery } from './answers/stats.ts';
import { type LogPosition, parsePosition } from './files/log-position.ts';
import type { Logs } from './logs.ts';

/**
 * Mount them after the guard and `jsonBody`.
 * @param explain adds to entries with details what went wrong
 * @param causes each says what an error comes from, or null
 */
export function logRoutes(
  logs: Logs,
  explain: <Page extends { logs?: (LogEntry | null)[] }>(page: Page) => Promise<Page>,
  causes: readonly ((error: string) => string | null)[],
) {
  async function explained<Page extends { logs?: (LogEntry | null)[] }>(page: Page): Promise<Page> {
    const found = await explain(page);
    if (!found.logs?.some((entry) => entry?.error !== undefined)) return found;
    return { ...found, logs: found.logs.map(withCause) };
  }

  function withCause(entry: LogEntry | null): LogEntry | null {
    const error = entry?.error;
    if (!entry || error === undefined) return entry;
    const [cause] = causes.flatMap((causeOf) => causeOf(error) ?? []);
    return cause === undefined ? entry : { ...entry, cause };
  }

  return new Elysia({ name: 'logs' })
    .get(
      '/logs',
      async ({ query }) => answer(await explained(await logs.page(parseLogQuery(query)))),
      { query: LogQuery },
    )
    .post(
      '/logs/merge',
      async ({ body }) => answer(await explained(await logs.merge(parseMergeRequest(body)))),
      { body: MergeRequest },
    )
    .get(
      '/logs/tail',
      async ({ query: { after, ...conditions }, request }) =>
        eventStream(
          await logs.tail(
            parseConditions(conditions),
            positionOf(request.headers.get('last-event-id') || after),
          ),
        ),
      { query: TailQuery },
    )
    .get(
      '/logs/export',
      async ({ query: { format, ...conditions } }) =>
        exportStream(
          await logs.export(parseConditions(conditions), format === 'csv' ? 'csv' : 'ndjson'),
        ),
      { query: ExportQuery },
    )
    .get('/logs/stats', ({ query }) => logs.stats(parseStatsQuery(query)), {
      query: StatsQuery,
      response: { 200: LogStats, 400: AgentErrorBody },
    })
    .get('/logs/sums', async ({ query }) => answer(await logs.sums(parseStatsQuery(query))), {
      query: StatsQuery,
    })
    .get('/logs/activity', ({ query }) => logs.activity(parseActivityQuery(query)), {
      query: ActivityQuery,
      response: { 200: LogActivity, 400: AgentErrorBody },
    });
}

/** Without a look at its schema, which the hub takes: with lists this long, that costs more than the rest. */
const answer = (found: LogPage | MergeAnswer | LogSums): Response =>
  jsonText(JSON.stringify(found));

/** @throws Failure INVALID_REQUEST */
function positionOf(text: string | undefined): LogPosition | undefined {
  if (!text) return undefined;
  const position = parsePosition(text);
  if (position) return position;
  throw new Failure('INVALID_REQUEST', 'The Last-Event-ID is not an event of this log.');
}
