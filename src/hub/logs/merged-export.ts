/** An export of the logs of several agents, merged while they are read. */
import type { LogExport } from '../../shared/http.ts';
import type { ExportQuery } from '../../shared/wire/logs.ts';
import { type Agents, askAll } from '../agents/agents.ts';
import type { StreamReader } from '../agents/streams.ts';
import { CSV, createRecords, NDJSON, type RecordFormat, type Records } from './records.ts';

/** `missing`: the agents that could not be reached. */
export type MergedExport = LogExport & { missing: string[] };

type Source = { name: string; records: Records };

/** The characters that are sent at once, or fewer if an agent has no more for the moment. */
const PIECE = 1 << 16;

/**
 * Oldest first: the next entry is always the oldest of those that are next in the log of an agent, and
 * of the last agent by name if several are as old. That is the order of the pages, reversed, unless
 * a log is not in the order of its times.
 * @throws Failure AGENT_UNREACHABLE if none can be reached, INVALID_REQUEST
 */
export async function openMergedExport(
  agents: Agents,
  query: ExportQuery,
  { mayRead, ended }: StreamReader,
): Promise<MergedExport> {
  const opened: { cancel(): Promise<unknown> }[] = [];
  const stop = () => {
    for (const reader of opened) reader.cancel().catch(() => undefined);
    ended();
  };
  try {
    const { answers, missing } = await askAll(agents.all(), async ({ name, client }) => {
      // They end one by one.
      const { body, ...facts } = await client.export(query, { mayRead, ended: () => undefined });
      const reader = body.getReader();
      opened.push(reader);
      return { ...facts, name, reader };
    });
    const format = query.format === 'csv' ? CSV : NDJSON;
    const exports = answers.map(({ answer }) => answer);
    const sources = exports
      .toSorted((a, b) => (a.name < b.name ? 1 : -1))
      .map(({ name, reader }) => ({ name, records: createRecords(reader, format) }));
    const totals = exports.map(({ total }) => total);
    const limit = Math.min(...exports.map(({ limit }) => limit));
    const texts = merge(sources, format, limit);
    const encoder = new TextEncoder();
    const next = async () => {
      const { value } = await texts.next();
      return value === undefined ? undefined : encoder.encode(value);
    };
    return {
      mediaType: exports[0]?.mediaType ?? '',
      total: totals.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0),
      limit,
      body: agents.first().client.openStream({ next, stop }),
      missing,
    };
  } catch (error) {
    stop();
    throw error;
  }
}

async function* merge(
  sources: readonly Source[],
  { end, hasHead, extend }: RecordFormat,
  limit: number,
): AsyncGenerator<string, undefined> {
  let text = hasHead ? extend(await headOf(sources), 'agent', 'agent') + end : '';
  let left = limit;
  for (;;) {
    let oldest: { name: string; records: Records; time: number; text: string } | undefined;
    for (const { name, records } of sources) {
      let record = records.peek();
      while (record === undefined) {
        if (text !== '') yield text;
        text = '';
        await records.load();
        record = records.peek();
      }
      if (record !== null && (!oldest || record.time < oldest.time)) {
        oldest = { name, records, ...record };
      }
    }
    if (!oldest || left-- === 0) break;
    text += extend(oldest.text, 'agent', oldest.name) + end;
    oldest.records.skip();
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
  return undefined;
}

/** The names of the columns, which are the first record of each. */
async function headOf(sources: readonly Source[]): Promise<string> {
  let head = '';
  for (const { records } of sources) {
    while (records.peek() === undefined) await records.load();
    head = records.peek()?.text ?? '';
    records.skip();
  }
  return head;
}
