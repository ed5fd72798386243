/** Reads one line of the access log. */
import { domainToASCII } from 'node:url';
import { isObject, parseJson } from '../../../src/shared/json.ts';
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
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
  /** Empty if the request had none. */
  userAgent: string;
  /** What a check of an agent calls itself by, see `CHECK_AGENT`; null for any other request. */
  checkWord: string | null;
};

/** What only the request itself says. */
export type RequestFacts = Pick<EntryFacts, 'method' | 'path' | 'ip'>;

/** How the `User-Agent` of a check begins; a word follows, which the agent makes at each start. */
export const CHECK_AGENT = 'signalbox-check/';
/** Characters of the word. */
export const CHECK_WORD_LENGTH = 16;

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
    userAgent: userAgentsIn(request.headers).join(', '),
    checkWord: checkWordIn(request.headers),
  };
}

function userAgentsIn(headers: unknown): string[] {
  const agents = isObject(headers) ? headers['User-Agent'] : undefined;
  return Array.isArray(agents) ? agents.map(text) : [];
}

/** @param headers of a request, as Caddy logs them */
export function checkWordIn(headers: unknown): string | null {
  const [name = '', ...others] = userAgentsIn(headers);
  if (others.length > 0) return null;
  const isOne =
    name.startsWith(CHECK_AGENT) && name.length === CHECK_AGENT.length + CHECK_WORD_LENGTH;
  return isOne ? name.slice(CHECK_AGENT.length) : null;
}

/** An entry as it is sent to clients. */
export function toEntry(facts: Omit<EntryFacts, 'key' | 'userAgent' | 'checkWord'>): LogEntry {
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

/** An access entry is an object with a `request` object and a numeric `status`. */
export function parseLine(line: string): AccessLine | undefined {
  const value = parseJson(line);
  if (!isObject(value) || !isObject(value.request) || typeof value.status !== 'number') {
    return undefined;
  }
  return value as AccessLine;
}

// Fractions are cut off, numbers too large for an integer are clamped, and -0 becomes 0.
function wholeStatus(status: number): number {
  const limit = Number.MAX_SAFE_INTEGER;
  return Math.trunc(Math.max(-limit, Math.min(limit, status))) + 0;
}

/** A string, empty for any other value. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The host of a request as shown: lower case, without port and trailing dot, IPv6 in brackets. */
export function shownHost(host: string): string {
  const lower = host.toLowerCase();
  if (isBareIpv6(lower)) return `[${lower}]`;
  return lower.replace(/:[0-9]*$/, '').replace(/\.$/, '');
}

/**
 * What hosts are compared by: the shown form in punycode, so that both spellings of an international
 * name are equal. ASCII is left unchanged; the URL rules would turn `127.1` into `127.0.0.1`.
 */
export function hostKey(host: string): string {
  const shown = shownHost(host);
  if (isAscii(shown)) return shown;
  return domainToASCII(shown).replace(/\.$/, '') || shown;
}

/** The hosts of a filter, as `hostKey` makes them. */
export type Hosts = {
  /** Those that are named; a pattern may stand for others. */
  names: readonly string[];
  hasPattern: boolean;
  has(key: string): boolean;
};

const isPattern = (name: string): boolean => name.split('.').includes('*');

/**
 * @param text one or several hosts, with spaces or commas and spaces between them; a label `*` stands for any
 *   one, as in the address of a site
 */
export function hostsIn(text: string): Hosts {
  const all = text.split(/,?\s+/).filter(Boolean).map(hostKey);
  const names = [...new Set(all.filter((name) => !isPattern(name)))];
  const patterns = all.filter(isPattern).map((name) =>
    name
      .split('.')
      .map((label) => (label === '*' ? '[^.]*' : RegExp.escape(label)))
      .join('\\.'),
  );
  const known = new Set(names);
  const pattern = new RegExp(`^(?:${patterns.join('|')})$`, 's');
  const hasPattern = patterns.length > 0;
  return { names, hasPattern, has: (key) => known.has(key) || (hasPattern && pattern.test(key)) };
}

// Two colons and no bracket: a name with a port has only one colon.
function isBareIpv6(host: string): boolean {
  return !host.includes('[') && host.indexOf(':') !== host.lastIndexOf(':');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

export type Details = Record<string, unknown>;

/**
 * The entry of a line as it is sent to clients, maybe with all that Caddy wrote; null for a line that the
 * scanner takes for an entry although its headers are damaged.
 */
export function readEntry(line: string, details: boolean): LogEntry | null {
  const facts = entryFacts(line);
  return facts ? { ...toEntry(facts), ...(details && { details: detailsOf(line) }) } : null;
}

/** Their values would let a reader of the log act as the visitor (OWASP, Logging Cheat Sheet). */
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-api-key',
]);
const REDACTED = ['REDACTED'];

/** Characters of one value; a header or an address may have a million. */
const LONGEST = 10_000;

/** Everything that Caddy wrote about a request, for a person to read. @param line an access entry */
export function detailsOf(line: string): Details {
  return shown(JSON.parse(line)) as Details;
}

function shown(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    return value.length > LONGEST ? `${value.slice(0, LONGEST)} …` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => shown(one));
  const isHeaders = name === 'headers' || name === 'resp_headers';
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      isHeaders && SECRET_HEADERS.has(key.toLowerCase()) ? REDACTED : shown(one, key),
    ]),
  );
}
