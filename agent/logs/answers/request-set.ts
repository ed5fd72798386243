/** The distinct requests of a log, as they are found in its lines, and what is not among them. */
import type { EntryCursor } from '../line/classifier.ts';
import { type LineRequest, lineRequest } from '../line/line-request.ts';

/** A request that came at least once. */
export type LoggedRequest = Omit<LineRequest, 'headers' | 'bytesRead'> & {
  /** When it came last, in milliseconds since 1970. */
  time: number;
  /** How often it came. */
  count: number;
  /** Those asked for, by names in lower case, as Caddy logged them: some values are `REDACTED`. */
  headers: Readonly<Record<string, readonly string[]>>;
};

/** Why requests were left out, in a few words, and how often they came. */
export type LeftOut = { reason: string; count: number };

export type RequestSet = {
  /** @param isUpgraded the response says so */
  add(entry: EntryCursor, isUpgraded: boolean): void;
  /** What is added from now on is older than what was. */
  settle(): void;
  leave(reason: string, count: number): void;
  /** The newest first. */
  answer(): { requests: LoggedRequest[]; leftOut: LeftOut[] };
};

type Found = { key: string; request: LoggedRequest; size: number; hasBody: boolean };

const WEBSOCKETS = 'WebSocket connections';
const UNREPEATABLE = 'Requests that HTTP/1.1 cannot repeat as they were';
const UNREADABLE = 'Lines of the log that cannot be read';
const TOO_LONG = 'Requests with more than 8 KiB of address';
export const BODIES = 'Request bodies: such requests are asked without one';
const older = (most: number): string =>
  `Older than the newest ${most.toLocaleString('en-US')} distinct requests`;

/** Characters of all requests that are kept. */
const MOST_CHARACTERS = 32 << 20;
/** More than one block has, so that only a file that is read from its start forgets some early. */
const SPARE_REQUESTS = 10_000;
const SPARE_CHARACTERS = 8 << 20;
/** Characters of the requests whose reason to be left out is kept. */
const MOST_REFUSED = 4 << 20;
/** The longest line of a request that a server should expect (RFC 9112, section 3). */
const LONGEST = 8192;

/**
 * @param most distinct requests
 * @param headers by whose values requests are distinguished as well, in lower case
 */
export function createRequestSet(most: number, headers: readonly string[]): RequestSet {
  const found = new Map<string, Found>();
  let fresh: Found[] = [];
  let characters = 0;
  let hasForgotten = false;
  let isFull = false;
  const refused = new Map<string, string>();
  let refusedCharacters = 0;
  const left = new Map<string, number>();
  let tooOld = 0;

  const leave = (reason: string, count: number): void => {
    if (count > 0) left.set(reason, (left.get(reason) ?? 0) + count);
  };

  function keyOf(entry: EntryCursor): string | undefined {
    const identity = entry.identity();
    if (headers.length === 0 || identity === undefined) return identity;
    const request = lineRequest(entry.line());
    return request && identity + JSON.stringify(headers.map((name) => request.headers.get(name)));
  }

  function refuse(key: string, reason: string): void {
    leave(reason, 1);
    refusedCharacters += key.length;
    if (refusedCharacters > MOST_REFUSED) {
      refused.clear();
      refusedCharacters = key.length;
    }
    refused.set(key, reason);
  }

  function take(key: string, entry: EntryCursor): void {
    const request = lineRequest(entry.line());
    const reason = request ? reasonAgainst(request) : UNREADABLE;
    if (!request || reason !== undefined) {
      refuse(key, reason ?? UNREADABLE);
      return;
    }
    const { headers: all, bytesRead: _, ...what } = request;
    const kept = headers.flatMap((name) => {
      const values = all.get(name);
      return values ? [[name, values] as const] : [];
    });
    const one: Found = {
      key,
      request: { ...what, time: entry.time, count: 1, headers: Object.fromEntries(kept) },
      // The key has all of the request.
      size: 2 * key.length,
      hasBody: hasBody(request),
    };
    found.set(key, one);
    fresh.push(one);
    characters += one.size;
    const isTooMuch =
      found.size > 2 * most + SPARE_REQUESTS || characters > MOST_CHARACTERS + SPARE_CHARACTERS;
    if (isTooMuch) forgetOldest();
  }

  function forgetOldest(): void {
    fresh.sort((a, b) => a.request.time - b.request.time);
    let forgotten = 0;
    for (const { key, size, request } of fresh) {
      if (found.size <= most && characters <= MOST_CHARACTERS) break;
      found.delete(key);
      characters -= size;
      tooOld += request.count;
      forgotten++;
    }
    hasForgotten ||= forgotten > 0;
    fresh = fresh.slice(forgotten);
  }

  return {
    add(entry, isUpgraded) {
      if (isUpgraded) return leave(WEBSOCKETS, 1);
      const key = keyOf(entry);
      if (key === undefined) return leave(UNREADABLE, 1);
      const known = found.get(key)?.request;
      if (known) {
        known.count++;
        known.time = Math.max(known.time, entry.time);
        return;
      }
      const reason = refused.get(key);
      if (reason !== undefined) leave(reason, 1);
      else if (isFull) tooOld++;
      else take(key, entry);
    },
    settle() {
      forgetOldest();
      fresh = [];
      isFull = hasForgotten || found.size >= most;
    },
    leave,
    answer() {
      const all = [...found.values()];
      const bodies = all.filter((each) => each.hasBody);
      leave(
        BODIES,
        bodies.reduce((sum, { request }) => sum + request.count, 0),
      );
      leave(older(all.length), tooOld);
      const leftOut = Array.from(left, ([reason, count]) => ({ reason, count }));
      return {
        requests: all.map(({ request }) => request).sort((a, b) => b.time - a.time),
        leftOut: leftOut.sort((a, b) => b.count - a.count),
      };
    },
  };
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const UNSAFE = /[\p{Cc}\p{Cs} \ufffd]/u;

function reasonAgainst({ method, host, uri, headers }: LineRequest): string | undefined {
  const upgrades = headers.get('upgrade') ?? [];
  // Over HTTP/2, a method CONNECT asks for it.
  if (headers.has(':protocol') || upgrades.some((to) => !/^h2c$/i.test(to))) return WEBSOCKETS;
  if (uri === '' || method === 'CONNECT' || !TOKEN.test(method)) return UNREPEATABLE;
  if (UNSAFE.test(host) || UNSAFE.test(uri)) return UNREPEATABLE;
  return host.length + uri.length > LONGEST ? TOO_LONG : undefined;
}

/** Whether a body came with it; true also if Caddy's log does not say, and the method usually has one. */
function hasBody({ method, headers, bytesRead }: LineRequest): boolean {
  const length = headers.get('content-length')?.[0];
  if (bytesRead > 0 || headers.has('transfer-encoding')) return true;
  return length === undefined ? /^(POST|PUT|PATCH)$/.test(method) : Number(length) !== 0;
}
