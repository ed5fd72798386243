/** What both Elysia apps share: one error mapper, and the headers of streams. */
import { basename } from 'node:path';
import { type AnyElysia, Elysia } from 'elysia';
import { FAILURES, Failure, type FailureCode, sentenceOf } from './failure.ts';
import { fileErrorOf } from './file-errors.ts';
import { invalidJson, NOT_AN_OBJECT } from './json-body.ts';

/** Elysia looks for the path after the eleventh character; in `http://pi/` it comes earlier. */
export const SHORT_HOSTS = { standardHostname: false };
/** Where it would look instead is before the host of an `https://` address. */
export const TLS_HOSTS = { standardHostname: true };

/** The answer to a failure; `words` adds the detail without its location to the body. */
function failureResponse(
  failure: Failure,
  { headers = {}, words = false }: { headers?: Record<string, string>; words?: boolean } = {},
): Response {
  const { code, message, detail, hint, at, needs, changes, retryAfter } = failure;
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  const body = {
    code,
    message,
    detail: sentenceOf(failure),
    hint,
    // With several operations there is no single text that the line could be of.
    line: at.operation === undefined ? at.line : undefined,
    field: at.field,
    policy: at.policy,
    agent: at.agent,
    needs,
    changes,
    words: words ? detail : undefined,
  };
  return Response.json(body, { status: failure.status, headers });
}

/** A text that is JSON already, or its bytes. */
export const jsonText = (text: string | Uint8Array<ArrayBuffer>, headers = {}): Response =>
  new Response(text, { headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers } });

/** A stream of server-sent events that no cache or proxy on the way may store or buffer. */
export const eventStream = (events: ReadableStream<Uint8Array>): Response =>
  new Response(events, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    },
  });

/** The matches of a log filter, as agent and hub send them. */
export type LogExport = {
  mediaType: string;
  /** The number of matches; null if it takes too long to count. */
  total: number | null;
  /** The most entries in `body`. */
  limit: number;
  body: ReadableStream<Uint8Array>;
};

const TOTAL = 'X-Total-Count';
const LIMIT = 'X-Export-Limit';

/** @param headers more of them */
export const exportStream = (
  { mediaType, total, limit, body }: LogExport,
  headers: Record<string, string> = {},
): Response =>
  new Response(body, {
    headers: {
      'Content-Type': mediaType,
      'Cache-Control': 'no-store',
      ...(total === null ? {} : { [TOTAL]: String(total) }),
      [LIMIT]: String(limit),
      ...headers,
    },
  });

/** What the headers of `exportStream` say. */
export function exportFacts(headers: Headers): Omit<LogExport, 'body'> {
  const total = headers.get(TOTAL);
  return {
    mediaType: headers.get('content-type') ?? '',
    total: total === null ? null : Number(total),
    limit: Number(headers.get(LIMIT)),
  };
}

type ErrorOptions = {
  /** Gets every unexpected error. */
  report: (error: unknown, request: Request) => void;
  /** The failure that an unexpected error stands for, if any; it is reported nevertheless. */
  known?: (error: unknown) => Failure | null;
  /** The code for a body or query that does not match its schema, by the path of the request. */
  invalid?: (path: string) => FailureCode;
  /** Whether error bodies have `words`, which the hub reads instead of `detail`. */
  words?: boolean;
};

/**
 * The address of a request for a path. Bun leaves a fragment in it, behind which Elysia may find
 * another path, and gives the target of a CONNECT as it is. (From `http://elsewhere/path` it takes
 * only the path, as if the client had sent that.)
 */
const PLAIN_TARGET = /^https?:\/\/[^/?#]+\/[^#]*$/;

/**
 * The one error mapper. Mount it first: Elysia's hooks only apply to what is mounted after them.
 * Elysia's own answers would contain the rejected body, with its passwords, or an exception's message.
 */
export function errors({
  report,
  known = () => null,
  invalid = () => 'INVALID_REQUEST',
  words = false,
}: ErrorOptions) {
  const app = new Elysia({ name: 'errors' }).onRequest(({ request }) => {
    if (!URL.canParse(request.url)) {
      throw new Failure('INVALID_REQUEST', 'The Host header is not valid.');
    }
    if (PLAIN_TARGET.test(request.url)) return;
    throw new Failure('INVALID_REQUEST', 'The request target must be a path.');
  });
  return app.onError({ as: 'global' }, ({ code, error, request, set }) => {
    const headers: Record<string, string> = {};
    const challenge = set.headers['WWW-Authenticate'];
    if (typeof challenge === 'string') headers['WWW-Authenticate'] = challenge;
    if (error instanceof Failure) return failureResponse(error, { headers, words });
    if (code === 'NOT_FOUND') {
      return failureResponse(new Failure('NOT_FOUND', 'Not found.'));
    }
    if (error === NOT_AN_OBJECT) return failureResponse(malformed(invalid(pathOf(request)), error));
    if (code === 'PARSE') return failureResponse(invalidJson());
    if (code === 'VALIDATION' && 'type' in error && error.type !== 'response') {
      return failureResponse(malformed(invalid(pathOf(request)), error));
    }
    report(error, request);
    const failure = known(error);
    if (failure) return failureResponse(failure);
    if (isStorageFault(error)) return failureResponse(storageUnavailable(error), { words });
    return failureResponse(new Failure('INTERNAL', FAILURES.INTERNAL.meaning));
  });
}

/** The path of a request, even if its `Host` header makes the URL invalid. */
export const pathOf = (request: Request): string =>
  URL.parse(request.url)?.pathname ?? request.url.replace(/^[a-z]+:\/\/[^/]*/, '');

/** A missing file says nothing about the disk: it may be a program that was not found. */
const isMissing = (error: object): boolean => 'code' in error && error.code === 'ENOENT';

/** Whether an error says that the disk is full or cannot be written to. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Error && !isMissing(error) && fileErrorOf(error) !== null;

/** Names the file, but not where it is. */
const storageUnavailable = (error: unknown) =>
  new Failure('STORAGE_UNAVAILABLE', FAILURES.STORAGE_UNAVAILABLE.meaning, {
    detail: fileErrorOf(error, basename) ?? undefined,
  });

/** Longer than the hub waits for the agent, and the agent for Caddy. */
const REQUEST_IDLE_SECONDS = 120;

/**
 * Gives requests more time than idle connections: the server's own idle timeout soon ends a
 * connection without a request, but an answer may take longer than that.
 */
export const requestTimeout = () =>
  new Elysia({ name: 'request-timeout' }).onRequest(({ request, server }) => {
    server?.timeout(request, REQUEST_IDLE_SECONDS);
  });

/** Names the field at fault, but never its value. */
function malformed(code: FailureCode, error: object): Failure {
  const field = fieldOf(error);
  return field === ''
    ? new Failure(code, 'A field of the request is missing or has the wrong type.')
    : new Failure(code, `The field "${field}" is missing or malformed.`, { at: { field } });
}

/** The path of a field, `operations.0.domain`; empty if the whole body is at fault. */
function fieldOf(error: object): string {
  if (!('valueError' in error)) return '';
  const { valueError } = error;
  if (typeof valueError !== 'object' || valueError === null || !('path' in valueError)) return '';
  return String(valueError.path).slice(1, LONGEST_FIELD).replaceAll('/', '.');
}

/** A field's name is up to the client, and may be of any length. */
const LONGEST_FIELD = 81;

/** Several plugins as one. An app does not see the routes of one that it used before these were there. */
export const composed = (name: string, plugins: readonly AnyElysia[]): AnyElysia =>
  plugins.reduce<AnyElysia>((all, plugin) => all.use(plugin), new Elysia({ name }));
