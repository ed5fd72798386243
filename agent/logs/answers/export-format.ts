/** Writes entries for other programs, one line each. */
import type { LogEntry } from '../../../src/shared/wire.ts';
import { entryFacts, toEntry } from '../index/entry.ts';
import { type Details, detailsOf } from './details.ts';

export type ExportFormat = {
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
  const facts = entryFacts(line);
  return facts ? write({ ...toEntry(facts), details: detailsOf(line) }) : '';
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
