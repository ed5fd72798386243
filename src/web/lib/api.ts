/** All requests to the hub go through here. */
import { plural } from './format.ts';

/** A request that failed; `status` 0: the hub did not answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The proxy's own words, if it had any. */
  readonly detail: string | null;
  /** How to fix it, if that is known. */
  readonly hint: string | null;
  /** The field of the request that is at fault. */
  readonly field: string | null;
  /** The line at fault in the site's config or the preamble, from 1. */
  readonly line: number | null;
  /** The policy at fault, and the field of its values that made the text at fault. */
  readonly policy: { name: string; field: string | null } | null;
  /** Ids of the later changes that prevent an undo. */
  readonly changes: readonly number[];
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | null;

  /** @param body of the answer, which may say more */
  constructor(
    status: number,
    readonly body: Record<string, unknown>,
    retryAfter: number | null,
  ) {
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : null);
    super(text('message') ?? `The hub answered with status ${status}.`);
    this.status = status;
    this.code = text('code') ?? 'UNKNOWN';
    this.detail = text('detail');
    this.hint = text('hint');
    this.field = text('field');
    this.line = typeof body.line === 'number' ? body.line : null;
    this.policy = policyIn(body.policy);
    this.changes = Array.isArray(body.changes) ? body.changes.filter(Number.isInteger) : [];
    this.retryAfter = retryAfter;
  }
}

function policyIn(value: unknown): ApiError['policy'] {
  if (typeof value !== 'object' || value === null || !('name' in value)) return null;
  const field = 'field' in value && typeof value.field === 'string' ? value.field : null;
  return { name: String(value.name), field };
}

type Options = {
  /** By default POST with a body and GET without. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON, unless it is a form. */
  body?: unknown;
  /** The ETag of the state that the change is meant for. */
  ifMatch?: string | undefined;
  /** The ETag of what is known already: if it is the same, the answer has no body. */
  ifNoneMatch?: string | undefined;
  /** With the same one, the change is made once, however often it is sent. */
  key?: string;
  signal?: AbortSignal | undefined;
};

export type Answer<T> = { body: T; etag: string | undefined };

type Listener = (error: ApiError | null, body?: unknown) => void;
const listeners = new Set<Listener>();

/** Calls `listener` after each request, with its error, or null and the answer. @returns a function that stops that */
export function onAnswer(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let askForProof: (() => Promise<boolean>) | null = null;

/**
 * Registers what asks users to prove again who they are, and says whether they have: the request that
 * needed it is then sent again. @returns a function that unregisters it
 */
export function onProofNeeded(ask: () => Promise<boolean>): () => void {
  askForProof = ask;
  return () => {
    askForProof = null;
  };
}

/** @throws ApiError, or AbortError if `signal` aborted the request */
export async function request<T>(path: string, options: Options = {}): Promise<Answer<T>> {
  const {
    method = options.body === undefined ? 'GET' : 'POST',
    body,
    ifMatch,
    ifNoneMatch,
    key,
    signal,
  } = options;
  const headers: Record<string, string> = {};
  const isForm = body instanceof FormData;
  // A browser names the boundary between the parts of a form itself.
  if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  if (ifNoneMatch !== undefined) headers['If-None-Match'] = ifNoneMatch;
  if (key !== undefined) headers['Idempotency-Key'] = key;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      // A page that is closed ends what it has started.
      keepalive: method === 'DELETE',
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    // The change may have been made and only the answer lost.
    const unknown = method === 'GET' ? '' : ' The change may or may not have been made.';
    const message = `The hub does not answer.${unknown}`;
    throw announced(new ApiError(0, { code: 'OFFLINE', message }, null));
  }
  const isKnown = response.status === 304;
  const parsed = isKnown ? undefined : parse(text);
  if (!response.ok && !isKnown) {
    const wait = Number(response.headers.get('Retry-After'));
    const error = new ApiError(
      response.status,
      typeof parsed === 'object' && parsed !== null ? { ...parsed } : {},
      Number.isFinite(wait) && wait > 0 ? wait : null,
    );
    if (error.code === 'SESSION_NOT_FRESH' && (await askForProof?.())) {
      return request<T>(path, options);
    }
    throw announced(error);
  }
  for (const listener of listeners) listener(null, parsed);
  return { body: parsed as T, etag: response.headers.get('ETag') ?? undefined };
}

/** Something stored, with its ETag. @throws as `request` does */
export const read = <T>(path: string, signal?: AbortSignal): Promise<Answer<T>> =>
  request<T>(path, { signal });

/** Something that is polled; the body is undefined if `etag` still names it. @throws as `request` does */
export const poll = <T>(
  path: string,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<Answer<T | undefined>> => request<T | undefined>(path, { ifNoneMatch: etag, signal });

/** @returns the body of the answer. @throws as `request` does */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await read<T>(path, signal)).body;

/** @returns the body of the answer. @throws as `request` does */
export const send = async <T>(
  method: NonNullable<Options['method']>,
  path: string,
  body?: unknown,
): Promise<T> => (await request<T>(path, body === undefined ? { method } : { method, body })).body;

function announced(error: ApiError): ApiError {
  for (const listener of listeners) listener(error);
  return error;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Any error as a sentence for a person. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') return error.message;
  const seconds = error.retryAfter ?? 60;
  const time = seconds < 90 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute');
  return error.message.replace('again later', `again in ${time}`);
}

/** The sentence, followed by the proxy's own words and how to fix it. */
export const wordsOf = (error: unknown): string =>
  error instanceof ApiError && (error.detail !== null || error.hint !== null)
    ? [error.message, error.detail, error.hint].filter((text) => text !== null).join(' ')
    : sentenceOf(error);
