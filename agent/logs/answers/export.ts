/** Streams all entries that match a filter, oldest first, block by block, as lines for other programs. */
import { createDeadline, createEndableStreams } from '../../../src/shared/async.ts';
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
import type { Snapshot } from '../index/log-index.ts';
import { type Details, readEntry } from '../line/entry.ts';
import type { BlockReader } from './block-reader.ts';
import { type Conditions, selectIn } from './filter.ts';
import { SegmentDamaged, SegmentGone } from './lines-at.ts';

type Exports = {
  /** @param limit the most entries that are sent */
  open(conditions: Conditions, format: ExportFormat, limit: number): ReadableStream<Uint8Array>;
  /** Ends all of them; see `EndableStreams.end`. */
  end(): number;
};

/** How often a segment is opened again that was renamed or compressed meanwhile. */
const ATTEMPTS = 20;

export function createExports(refresh: () => Promise<Snapshot>, reader: BlockReader): Exports {
  const streams = createEndableStreams();
  const encoder = new TextEncoder();

  async function* read(conditions: Conditions, format: ExportFormat, limit: number) {
    const turns = createDeadline(Number.POSITIVE_INFINITY);
    const done = new Set<number>();
    let [left, attempts] = [limit, ATTEMPTS];
    // What was sent of the segment that is being read.
    let sent = { id: -1, end: 0 };
    let text = format.head;
    for (;;) {
      const indexed = (await refresh()).segments.findLast(({ id }) => !done.has(id));
      if (!indexed || left === 0) break;
      const { id } = indexed;
      if (sent.id !== id) sent = { id, end: 0 };
      const { match, candidates } = selectIn(indexed, conditions);
      const blocks = candidates().filter(({ start }) => start >= sent.end);
      const walked = reader.walk(indexed, blocks.reverse(), (entry) => {
        if (left === 0 || !match(entry)) return;
        const line = format.write(entry.line());
        if (line !== '') left--;
        text += line;
      });
      try {
        for await (const block of walked) {
          sent.end = block.end;
          if (text !== '') yield text;
          text = '';
          if (left === 0) break;
          await turns.yieldTurn();
        }
        done.add(id);
      } catch (error) {
        if (!(error instanceof SegmentGone) || attempts-- === 0) throw error;
        // Indexed again, it would be sent again.
        if (error instanceof SegmentDamaged) done.add(id);
        text = '';
      }
    }
    if (text !== '') yield text;
  }

  return {
    open(conditions, format, limit) {
      const texts = read(conditions, format, limit);
      return streams.open({
        async next() {
          const { value } = await texts.next();
          return value === undefined ? undefined : encoder.encode(value);
        },
        stop: () => void texts.return(),
      });
    },
    end: streams.end,
  };
}

type ExportFormat = {
  mediaType: string;
  /** What the file begins with. */
  head: string;
  /** The text for a line of the log; empty if it is damaged. */
  write(line: string): string;
};

type Row = LogEntry & { details: Details };
const of = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((at, name) => (at as Details | undefined)?.[name], value);
const header = ({ details }: Row, name: string) => of(details, 'request', 'headers', name);

/** The columns of a table, in order. */
const COLUMNS: Readonly<Record<string, (row: Row) => unknown>> = {
  timestamp: (row) => row.timestamp,
  domain: (row) => row.domain,
  method: (row) => row.method,
  path: (row) => row.path,
  status: (row) => row.status,
  latency_ms: (row) => Number.parseFloat(row.latency),
  ip: (row) => row.ip,
  size: ({ details }) => details.size,
  protocol: ({ details }) => of(details, 'request', 'proto'),
  user_agent: (row) => header(row, 'User-Agent'),
  referer: (row) => header(row, 'Referer'),
};

export const EXPORT_FORMATS: Readonly<Record<'ndjson' | 'csv', ExportFormat>> = {
  ndjson: {
    mediaType: 'application/x-ndjson; charset=utf-8',
    head: '',
    write: (line) => withRow(line, (row) => `${JSON.stringify(row)}\n`),
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: csvLine(Object.keys(COLUMNS)),
    write: (line) => withRow(line, (row) => csvLine(Object.values(COLUMNS).map((of) => of(row)))),
  },
};

function withRow(line: string, write: (row: Row) => string): string {
  const entry = readEntry(line, true);
  return entry ? write(entry as Row) : '';
}

/** A record of RFC 4180. */
function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

/**
 * Visitors choose most of the text, and a spreadsheet runs a field that begins like a formula: an
 * apostrophe makes it text (OWASP, CSV Injection).
 */
function csvField(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '';
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
