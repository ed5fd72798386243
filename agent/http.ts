/** What both Elysia apps do alike: errors mapped in one place, bodies read late and bounded. */
import { Elysia } from 'elysia';
import { Failure, type FailureCode, STATUS } from './failure.ts';
import type { ErrorBody } from './wire.ts';

const UNREAD = Symbol('the body is not read yet');

/** Answers a failure; anything that is not one is a bare 500 and goes to `report`. */
export function failureResponse(failure: Failure, headers: Record<string, string> = {}): Response {
  const body: ErrorBody = { code: failure.code, message: failure.message };
  if (failure.detail !== undefined) body.detail = failure.detail;
  if (failure.line !== undefined) body.line = failure.line;
  return Response.json(body, { status: STATUS[failure.code], headers });
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
  /** Hears of what nobody expected. */
  report: (error: unknown, request: Request) => void;
  /** The code for a body or query that does not match its schema, by path. */
  invalid?: (path: string) => FailureCode;
};

/**
 * The one error mapper. Mount it first: Elysia's hooks only see what is mounted after them.
 * Elysia's own answers would echo the rejected body (passwords) and an exception's message.
 */
export function errors({ report, invalid = () => 'INVALID_REQUEST' }: ErrorOptions) {
  return new Elysia({ name: 'errors' }).onError(
    { as: 'global' },
    ({ code, error, request, set }) => {
      const headers: Record<string, string> = {};
      const challenge = set.headers['WWW-Authenticate'];
      if (typeof challenge === 'string') headers['WWW-Authenticate'] = challenge;
      if (error instanceof Failure) return failureResponse(error, headers);
      if (code === 'NOT_FOUND') {
        return failureResponse(new Failure('NOT_FOUND', 'There is nothing at this address.'));
      }
      if (code === 'PARSE') return failureResponse(invalidJson());
      if (code === 'VALIDATION' && 'type' in error && error.type !== 'response') {
        return failureResponse(
          new Failure(invalid(new URL(request.url).pathname), describe(error)),
        );
      }
      report(error, request);
      if (isStorageFault(error)) return failureResponse(storageUnavailable());
      return failureResponse(new Failure('INTERNAL', 'Something went wrong on our side.'));
    },
  );
}

/** A full or read-only disk, as the file system (errno) and SQLite (result codes) call it. */
const STORAGE_FAULT =
  /^(ENOSPC|EROFS|EDQUOT|EFBIG|EIO|EACCES|EPERM|SQLITE_(FULL|IOERR|READONLY|CANTOPEN)(_.*)?)$/;

const isStorageFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && STORAGE_FAULT.test(String(error.code));

const storageUnavailable = () =>
  new Failure(
    'STORAGE_UNAVAILABLE',
    'The disk is full or cannot be written to; nothing was changed.',
  );

/** Keeps Elysia from reading any body before the guards have run; mount it beside `errors`. */
export const lateBodies = () =>
  new Elysia({ name: 'late-bodies' }).onParse({ as: 'global' }, () => ({ [UNREAD]: true }));

/**
 * Reads the JSON bodies of the routes behind it, after the guards, so that a stranger learns
 * nothing from a body's faults. Whatever `Content-Type` says: `curl -d` claims a form.
 * At most `limit` bytes.
 * @throws Failure INVALID_JSON, BODY_TOO_LARGE
 */
export function jsonBody(limit: number) {
  return new Elysia({ name: 'json-body', seed: limit }).onTransform(
    { as: 'scoped' },
    async (context) => {
      const { body } = context;
      if (typeof body !== 'object' || body === null || !(UNREAD in body)) return;
      context.body = parseJson(await readBounded(context.request, limit));
    },
  );
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Failure('BODY_TOO_LARGE', `The body is larger than ${limit / (1024 * 1024)} MiB.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson();
  }
}

const invalidJson = () => new Failure('INVALID_JSON', 'The body is not valid JSON.');

/** Names the field at fault and never its value. */
function describe(error: object): string {
  const path =
    'valueError' in error &&
    typeof error.valueError === 'object' &&
    error.valueError !== null &&
    'path' in error.valueError &&
    typeof error.valueError.path === 'string'
      ? error.valueError.path.slice(1).replaceAll('/', '.')
      : '';
  return path === ''
    ? 'The request is missing something or has a field of the wrong type.'
    : `The field "${path.slice(0, 80)}" is missing or not of the expected form.`;
}
