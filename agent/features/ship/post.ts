/** Sends batches to a log engine, and finds the lines in them that it refuses. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { messageOf } from '../../../src/shared/async.ts';
import { growing } from '../../../src/shared/every.ts';
import { FORMAT_OF, type ShipEntry, type ShipFormat } from './format.ts';
import type { Pace } from './pace.ts';

/** How a log engine is reached. */
export type Engine = {
  /** May contain a secret; never logged. */
  url: string;
  format: ShipFormat;
  /** Path of the file with additional headers; read again for each request. */
  headersFile: string | null;
};

/**
 * - `accepted`: with a 2xx.
 * - `content`: refused because of what is in the batch, so that a part of it may be accepted.
 * - `setup`: refused whatever is in it, until someone changes a setting here or there.
 * - `away`: no answer, or one that asks to come back; `wait` in milliseconds if it says when.
 */
export type Outcome =
  | { kind: 'accepted' }
  | { kind: 'content' | 'setup'; reason: string; text?: string }
  | { kind: 'away'; reason: string; text?: string; wait?: number };

/** Bad Request, Content Too Large, Unprocessable Content. */
const CONTENT_STATUSES = [400, 413, 422];
/** Request Timeout, Too Many Requests; also everything from 500 on. */
const AWAY_STATUSES = [408, 429];
const TIMEOUT_MS = 60_000;
/** Of what an engine says about a refusal. */
const TEXT_LENGTH = 300;

const compress = promisify(gzip);

/** Sends one batch. Never rejects. @param signal gives up: whether the engine has the batch is unknown then */
export async function post(
  engine: Engine,
  entries: readonly ShipEntry[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { mediaType, body } = FORMAT_OF[engine.format];
  const headers = new Headers({ 'Content-Type': mediaType });
  try {
    for (const [name, value] of engine.headersFile ? readHeaders(engine.headersFile) : []) {
      headers.set(name, value);
    }
  } catch (error) {
    return { kind: 'setup', reason: `LOG_SHIP_HEADERS_FILE ${messageOf(error)}` };
  }
  headers.set('Content-Encoding', 'gzip');
  try {
    const response = await fetch(engine.url, {
      method: 'POST',
      headers,
      body: await compress(body(entries)),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = (await response.text()).slice(0, TEXT_LENGTH);
    return outcomeOf(response, text);
  } catch (error) {
    // Without the message, which may contain the address.
    const { code, name } = error as { code?: unknown; name?: unknown };
    return { kind: 'away', reason: `the log engine does not answer (${String(code ?? name)})` };
  }
}

function outcomeOf({ ok, status, headers }: Response, text: string): Outcome {
  if (ok) return { kind: 'accepted' };
  const reason = `the log engine answers ${status}`;
  if (CONTENT_STATUSES.includes(status)) return { kind: 'content', reason, text };
  if (status < 500 && !AWAY_STATUSES.includes(status)) return { kind: 'setup', reason, text };
  const wait = waitOf(headers.get('Retry-After'));
  return { kind: 'away', reason, text, ...(wait !== undefined && { wait }) };
}

/** Seconds, or a date (RFC 9110). */
function waitOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const wait = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.now();
  return wait > 0 ? wait : undefined;
}

/** An engine that asks for more time is asked again all the same; timers cannot wait for a month. */
const MOST_ASKED_MS = 3_600_000;

/**
 * Milliseconds to wait before an engine that failed is asked again.
 * @param before how many attempts in a row failed before that
 * @param asked how long the engine asks to wait
 */
export function waitAfter(
  { retry, longestRetry }: Pick<Pace, 'retry' | 'longestRetry'>,
  before: number,
  asked: number,
): number {
  const longest = growing(before + 1, retry, longestRetry);
  // Many agents must not come back to an engine at the same moment.
  const own = longest * (0.5 + Math.random() / 2);
  return Math.max(own, Math.min(asked, MOST_ASKED_MS));
}

/** A header in the syntax of RFC 9110; the value without control characters. */
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/**
 * Reads the headers that the operator adds to requests, such as tokens, as `Name: value` lines; blank lines and lines that start with `#` are ignored.
 * @throws Error with what is wrong with the file, as in "names a file …"; never repeats a value
 */
export function parseHeaders(text: string): [name: string, value: string][] {
  const headers = text.split('\n').flatMap((raw, at): [string, string][] => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new Error(`names a file whose line ${at + 1} is not "Name: value"`);
    }
    return [[name, value]];
  });
  if (headers.length === 0) throw new Error('names a file without a header');
  return headers;
}

/**
 * Reads the file as it is now. Its group may read it, as with the credentials of systemd.
 * @throws Error as `parseHeaders`; if the file cannot be read, or other users can
 */
export function readHeaders(file: string): [name: string, value: string][] {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    throw new Error('names a file that cannot be read');
  }
  try {
    if ((fstatSync(handle).mode & 0o007) !== 0) {
      throw new Error('names a file that is open to other users; close it with chmod 600');
    }
    return parseHeaders(readFileSync(handle, 'utf8'));
  } finally {
    closeSync(handle);
  }
}

/** So many single lines in a row are not damaged: the engine does not understand any. */
const MOST_SUSPECTS = 8;

/**
 * Sends the entries in their order. What the engine refuses for its content is halved down to the
 * line, and that line is left out; but as long as the engine has not accepted anything, the lines may
 * be right and the settings wrong, and nothing is left out.
 * @param isProven whether this engine has ever accepted anything
 * @param commit stores that all entries up to the last of these have been dealt with
 * @returns why the rest has to wait; undefined if everything has been dealt with
 * @throws what `commit` throws
 */
export async function deliver(
  entries: readonly ShipEntry[],
  post: (entries: readonly ShipEntry[]) => Promise<Outcome>,
  isProven: () => boolean,
  commit: (entries: readonly ShipEntry[], outcome: Outcome) => Promise<void>,
): Promise<Outcome | undefined> {
  const parts = [entries];
  let suspects: ShipEntry[] = [];
  let refusal: Outcome | undefined;
  for (let part = parts.pop(); part; part = parts.pop()) {
    const outcome = await post(part);
    if (outcome.kind === 'accepted') {
      if (refusal && suspects.length > 0) await commit(suspects, refusal);
      suspects = [];
      await commit(part, outcome);
    } else if (outcome.kind !== 'content') {
      return outcome;
    } else if (part.length > 1) {
      const half = Math.ceil(part.length / 2);
      parts.push(part.slice(half), part.slice(0, half));
    } else if (isProven()) {
      await commit(part, outcome);
    } else {
      refusal = outcome;
      suspects.push(...part);
      if (suspects.length === MOST_SUSPECTS) break;
    }
  }
  return suspects.length > 0 ? refusal : undefined;
}
