/** What both Elysia apps do alike: errors mapped in one place, bodies read late and bounded. */
import { Elysia } from 'elysia';
import { FAILURES, Failure, type FailureCode, sentenceOf } from './failure.ts';

/** Elysia looks for the path behind the eleventh character; `http://pi/` has it earlier. */
export const SHORT_HOSTS = { standardHostname: false };
/** Where it would look instead lies before the host of an `https://` address. */
export const TLS_HOSTS = { standardHostname: true };

const UNREAD = Symbol('the body is not read yet');

/** 16 MiB in this time are 1 Mbit/s, a slow line. */
const BODY_DEADLINE_MS = 120_000;

/** An error body; `words` adds the detail without its location. */
function failureResponse(
  failure: Failure,
  { headers = {}, words = false }: { headers?: Record<string, string>; words?: boolean } = {},
): Response {
  const { code, message, detail, at, changes, retryAfter } = failure;
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  const body = {
    code,
    message,
    detail: sentenceOf(failure),
    // The caller knows the texts of several operations: no line is one of "the" text.
    line: at.operation === undefined ? at.line : undefined,
    field: at.field,
    changes,
    words: words ? detail : undefined,
  };
  return Response.json(body, { status: FAILURES[code].status, headers });
}

/** A stream of server-sent events, which nothing on the way shall keep or gather. */
export const eventStream = (events: ReadableStream<Uint8Array>): Response =>
  new Response(events, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    },
  });

export type ErrorOptions = {
  /** Gets every error that nobody expected. */
  report: (error: unknown, request: Request) => void;
  /** The code for a body or query that does not match its schema, by path. */
  invalid?: (path: string) => FailureCode;
  /** Whether bodies carry `words`: what another program of ours reads instead of `detail`. */
  words?: boolean;
};

/**
 * The one error mapper. Mount it first: Elysia's hooks only see what is mounted after them.
 * Elysia's own answers would echo the rejected body (passwords) and an exception's message.
 */
export function errors({ report, invalid = () => 'INVALID_REQUEST', words = false }: ErrorOptions) {
  const app = new Elysia({ name: 'errors' }).onRequest(({ request }) => {
    if (URL.canParse(request.url)) return;
    throw new Failure('INVALID_REQUEST', 'The Host header is not valid.');
  });
  return app.onError({ as: 'global' }, ({ code, error, request, set }) => {
    const headers: Record<string, string> = {};
    const challenge = set.headers['WWW-Authenticate'];
    if (typeof challenge === 'string') headers['WWW-Authenticate'] = challenge;
    if (error instanceof Failure) return failureResponse(error, { headers, words });
    if (code === 'NOT_FOUND') {
      return failureResponse(new Failure('NOT_FOUND', 'There is nothing at this address.'));
    }
    if (code === 'PARSE') return failureResponse(invalidJson());
    if (code === 'VALIDATION' && 'type' in error && error.type !== 'response') {
      return failureResponse(malformed(invalid(pathOf(request)), error));
    }
    report(error, request);
    if (isStorageFault(error)) return failureResponse(storageUnavailable());
    return failureResponse(new Failure('INTERNAL', FAILURES.INTERNAL.meaning));
  });
}

/** The path of a request; a `Host` that makes no URL does not matter to it. */
export const pathOf = (request: Request): string =>
  URL.parse(request.url)?.pathname ?? request.url.replace(/^[a-z]+:\/\/[^/]*/, '');

/** A full or read-only disk, as the file system (errno) and SQLite (result codes) call it. */
const STORAGE_FAULT =
  /^(ENOSPC|EROFS|EDQUOT|EFBIG|EIO|EACCES|EPERM|SQLITE_(FULL|IOERR|READONLY|CANTOPEN)(_.*)?)$/;

/** Whether an error says that the disk is full or cannot be written to. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && STORAGE_FAULT.test(String(error.code));

const storageUnavailable = () =>
  new Failure('STORAGE_UNAVAILABLE', FAILURES.STORAGE_UNAVAILABLE.meaning);

/** Longer than the hub's deadline towards the agent, and than the agent's towards Caddy. */
const REQUEST_IDLE_SECONDS = 120;

/**
 * A connection that has not said what it wants is cut off early, by the server's own idle timeout;
 * one whose request is known may stay quiet while it is worked on.
 */
export const patience = () =>
  new Elysia({ name: 'patience' }).onRequest(({ request, server }) => {
    server?.timeout(request, REQUEST_IDLE_SECONDS);
  });

/** Keeps Elysia from reading any body before the guards have run; mount it beside `errors`. */
export const lateBodies = () =>
  new Elysia({ name: 'late-bodies' }).onParse({ as: 'global' }, () => ({ [UNREAD]: true }));

/**
 * Reads the JSON bodies of the routes behind it, after the guards, so that a stranger learns
 * nothing from a body's faults. Whatever `Content-Type` says: `curl -d` claims a form.
 * At most `limit` bytes, all of them within `deadline` milliseconds.
 * @throws Failure INVALID_JSON, BODY_TOO_LARGE, BODY_TOO_SLOW
 */
export function jsonBody(limit: number, deadline = BODY_DEADLINE_MS) {
  return new Elysia({ name: 'json-body', seed: `${limit} ${deadline}` }).onTransform(
    { as: 'scoped' },
    async (context) => {
      const { body } = context;
      if (typeof body !== 'object' || body === null || !(UNREAD in body)) return;
      const parsed = parseJson(await readBounded(context.request, limit, deadline));
      // Anything else would pass for an object without any of its optional fields.
      context.body = typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : null;
    },
  );
}

async function readBounded(request: Request, limit: number, deadline: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Failure('BODY_TOO_LARGE', `The body is larger than ${limit / (1024 * 1024)} MiB.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  // A body may come in drops that never let the connection fall idle.
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel();
  }, deadline);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > limit) throw tooLarge();
      chunks.push(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new Failure('BODY_TOO_SLOW', 'The body took too long to arrive.');
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): unknown {
  if (isDeep(bytes)) throw invalidJson();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, MAY_NAME_TO_STRING.test(text) ? withoutToString : undefined);
  } catch {
    throw invalidJson();
  }
}

/** The name as it stands, or written with escapes. */
const MAY_NAME_TO_STRING = /"toString"|\\u00/i;

/** Elysia puts a field that does not fit into a sentence, which a `toString` of null would end. */
const withoutToString = (key: string, value: unknown): unknown =>
  key === 'toString' ? undefined : value;

/** No body of ours is nested beyond three. */
const DEEPEST = 32;
/** In UTF-8 as in ASCII; no other character holds such a byte. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * Whether JSON text is nested deeper than any body of ours, told before anything reads it: parsing
 * 16 MiB of brackets takes seconds, and Elysia writes a body that does not fit its schema out with
 * indentation, which for a deeply nested one is as long as its depth squared.
 */
function isDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = bytes.indexOf(QUOTE, at + 1);
      while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
      if (at < 0) return false;
    } else if (byte === OPENING[0] || byte === OPENING[1]) {
      if (++depth > DEEPEST) return true;
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) {
      depth--;
    }
  }
  return false;
}

function isEscaped(bytes: Uint8Array, quote: number): boolean {
  let at = quote - 1;
  while (bytes[at] === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}

const invalidJson = () => new Failure('INVALID_JSON', 'The body is not valid JSON.');

/** Names the field at fault, never its value. */
function malformed(code: FailureCode, error: object): Failure {
  const field = fieldOf(error);
  return field === ''
    ? new Failure(code, 'A field of the request is missing or has the wrong type.')
    : new Failure(code, `The field "${field}" is missing or malformed.`, { at: { field } });
}

/** `operations.0.domain`; empty where the whole is at fault. */
function fieldOf(error: object): string {
  if (!('valueError' in error)) return '';
  const { valueError } = error;
  if (typeof valueError !== 'object' || valueError === null || !('path' in valueError)) return '';
  return String(valueError.path).slice(1, LONGEST_FIELD).replaceAll('/', '.');
}

/** A body may have a field of any name. */
const LONGEST_FIELD = 81;
