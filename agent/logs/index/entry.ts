import type { LogEntry } from '../../../src/shared/wire.ts';
import { hostKey, shownHost } from './host.ts';
import { parseDuration, parseTime } from './time-values.ts';

/** What there is to know of an access entry. */
export type EntryFacts = {
  /** What hosts are compared by, see `hostKey`. */
  key: string;
  domain: string;
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  /** Milliseconds since 1970; NaN where the line does not say. */
  time: number;
  /** Milliseconds. */
  latency: number;
  ip: string;
};

type AccessLine = { request: Record<string, unknown>; status: number; [name: string]: unknown };

/**
 * The facts of one line, by JSON.parse: the truth that faster ways have to agree with. Undefined
 * where the line is no access entry.
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

/** An entry as it is answered. */
export function toEntry(facts: EntryFacts): LogEntry {
  const { domain, method, path, status, time, latency, ip } = facts;
  return {
    // '' where the line has no time that can be told: a made-up one would be a lie.
    timestamp: Number.isNaN(time) ? '' : new Date(time).toISOString(),
    domain,
    method,
    path,
    status,
    latency: `${Math.round(latency * 1000) / 1000}ms`,
    ip,
  };
}

// An access entry is an object with a `request` object and a numeric `status`, whatever else.
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

// Fractions are cut off, and what no integer can hold is clamped; 0 for -0.
function wholeStatus(status: number): number {
  const limit = Number.MAX_SAFE_INTEGER;
  return Math.trunc(Math.max(-limit, Math.min(limit, status))) + 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
