/** The reference implementation: slow, with every file read whole and every line parsed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { domainToASCII } from 'node:url';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Conditions, LogFilter } from '../../../agent/logs/answers/filter.ts';
import { parseDuration, parseTime } from '../../../agent/logs/line/time-values.ts';
import type { LogEntry, LogPage } from '../../../src/shared/wire/logs.ts';

/** An entry, its host in punycode, its latency in milliseconds, and its user agent. */
export type Keyed = { key: string; entry: LogEntry; latency: number; userAgent: string };

/** All entries of a log, newest first. */
export function allEntries(file: string): Keyed[] {
  const stem = basename(file).replace(/\.log$/, '');
  const names = existsSync(dirname(file)) ? readdirSync(dirname(file)) : [];
  const rolled = names
    .filter((name) => name.startsWith(`${stem}-2`))
    .filter((name) => {
      const plain = name.replace(/\.(gz|zst)$/, '');
      const forms = [plain, `${plain}.gz`, `${plain}.zst`];
      return forms.find((form) => names.includes(form)) === name;
    })
    .sort();
  const lines: Buffer[] = [];
  for (const name of rolled) lines.push(...linesOf(uncompressed(join(dirname(file), name))));
  // Without the live file's last line, which has no newline yet.
  if (existsSync(file)) lines.push(...linesOf(readFileSync(file)).slice(0, -1));
  return lines.flatMap((bytes) => entryOf(bytes.toString()) ?? []).reverse();
}

/** The page that a filter selects from all entries. */
export function referencePage(entries: readonly Keyed[], filter: LogFilter): LogPage {
  const { page, pageSize } = filter;
  const found = entries.filter((each) => isWanted(each, filter));
  const from = (page - 1) * pageSize;
  const logs = found.slice(from, from + pageSize).map(({ entry }) => entry);
  return { logs, total: found.length, page, pageSize };
}

/** Whether an entry matches all conditions. */
export function isWanted({ key, entry, userAgent }: Keyed, filter: Conditions): boolean {
  const { domain, status, statusClass, method, path, q, ip, from, to } = filter;
  const time = from === undefined && to === undefined ? 0 : Date.parse(entry.timestamp);
  const answers = [
    domain === undefined || key === inAscii(domain),
    status === undefined || entry.status === status,
    statusClass === undefined ||
      // 499 and 0: the client left.
      (entry.status !== 499 &&
        entry.status >= statusClass * 100 &&
        entry.status < statusClass * 100 + 100),
    method === undefined || entry.method === method,
    path === undefined || entry.path.slice(0, path.length) === path,
    q === undefined || entry.path.split(q).length > 1,
    ip === undefined || entry.ip === ip,
    filter.userAgent === undefined ||
      userAgent.toLowerCase().split(filter.userAgent.toLowerCase()).length > 1,
    from === undefined || time >= from,
    to === undefined || time < to,
  ];
  return answers.every(Boolean);
}

function uncompressed(path: string): Buffer {
  const bytes = readFileSync(path);
  if (path.endsWith('.gz')) return gunzipSync(bytes);
  return path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes;
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

function entryOf(line: string): Keyed | undefined {
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const request = value?.request;
  if (!value || typeof value.status !== 'number') return undefined;
  if (!isObject(request)) return undefined;
  const string = (member: unknown) => (typeof member === 'string' ? member : '');
  const host = string(request.host).toLowerCase();
  const domain = (
    host.startsWith('[') ? host.replace(/:\d+$/, '') : (host.split(':')[0] ?? '')
  ).split(/\.$/)[0] as string;
  const time = parseTime(value.ts);
  const entry = {
    timestamp: time === undefined ? '' : new Date(time).toISOString(),
    domain,
    method: string(request.method),
    path: string(request.uri).split('?')[0] as string,
    status: Math.trunc(Math.min(value.status, Number.MAX_SAFE_INTEGER)),
    latency: `${Math.round(parseDuration(value.duration) * 1000) / 1000}ms`,
    ip: string(request.client_ip ?? request.remote_ip),
  };
  const latency = parseDuration(value.duration);
  const agents = isObject(request.headers) ? request.headers['User-Agent'] : undefined;
  const userAgent = Array.isArray(agents) ? agents.map(string).join(', ') : '';
  return { key: inAscii(domain), entry, latency, userAgent };
}

/** Few hosts are asked for thousands of times. */
const asciiOf = new Map<string, string>();
function inAscii(domain: string): string {
  const known = asciiOf.get(domain) ?? (domainToASCII(domain) || domain);
  asciiOf.set(domain, known);
  return known;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
