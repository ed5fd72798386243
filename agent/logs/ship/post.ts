/** Sends one batch to a log engine. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { messageOf } from '../../../src/shared/async.ts';
import { FORMAT_OF, type ShipEntry, type ShipFormat } from './format.ts';
import { readHeaders } from './headers.ts';

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

/** Never rejects. @param signal gives up: whether the engine has the batch is unknown then */
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
