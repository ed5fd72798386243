/** Reads one line of the access log. */
import type { LogEntry } from '../../../src/shared/wire.ts';
import { hostKey, shownHost } from './host.ts';
import { parseDuration, parseTime } from './time-values.ts';

/** What an access entry says. */
export type EntryFacts = {
  /** The host as `hostKey` makes it. */
  key: string;
  domain: string;
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  /** Milliseconds since 1970; NaN if the line has no valid time. */
  time: number;
  /** Milliseconds. */
  latency: number;
  ip: string;
};

/** What only the request itself says. */
export type RequestFacts = Pick<EntryFacts, 'method' | 'path' | 'ip'>;

type AccessLine = { request: Record<string, unknown>; status: number; [name: string]: unknown };

/**
 * Reads a line with JSON.parse; the scanner has to agree with the result. Undefined if the line is
 * not an access entry.
 */
export function entryFacts(line: string): EntryFacts | undefined {
  const parsed = parseLine(line);
  if (!parsed) return undefined;
  const { request } = parsed;
  const host = text(request.host);
  return {
    key: hostKey(host),
    domain: shownHost(host),
    method: text(request.method),
    path: text(request.uri).replace(/\?.*$/s, ''),
    status: wholeStatus(parsed.status),
    time: parseTime(parsed.ts) ?? Number.NaN,
    latency: parseDuration(parsed.duration),
    ip: text(request.client_ip ?? request.remote_ip),
  };
}

/** An entry as it is sent to clients. */
export function toEntry(facts: EntryFacts): LogEntry {
  const { domain, method, path, status, time, latency, ip } = facts;
  return {
    // Better empty than made up.
    timestamp: Number.isNaN(time) ? '' : new Date(time).toISOString(),
    domain,
    method,
    path,
    status,
    latency: `${Math.round(latency * 1000) / 1000}ms`,
    ip,
  };
}

// An access entry is an object with a `request` object and a numeric `status`.
function parseLine(line: string): AccessLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !isObject(value.request) || typeof value.status !== 'number') {
    return undefined;
  }
  return value as AccessLine;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Fractions are cut off, numbers too large for an integer are clamped, and -0 becomes 0.
function wholeStatus(status: number): number {
  const limit = Number.MAX_SAFE_INTEGER;
  return Math.trunc(Math.max(-limit, Math.min(limit, status))) + 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
