/** The dashboard's one door to the hub. */

/** What went wrong with a request; `status` 0: the hub did not answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The proxy's own words, where it had some. */
  readonly detail: string | null;
  /** The line of the vhost's config that the proxy named, from 1. */
  readonly line: number | null;
  /** Seconds to wait before asking again. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Record<string, unknown>, retryAfter: number | null) {
    super(typeof body.message === 'string' ? body.message : `The hub answered ${status}.`);
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'UNKNOWN';
    this.detail = typeof body.detail === 'string' ? body.detail : null;
    this.line = typeof body.line === 'number' ? body.line : null;
    this.retryAfter = retryAfter;
  }
}

export type Options = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** The state of a vhost that the change was made for. */
  ifMatch?: string | undefined;
  signal?: AbortSignal;
};

export type Answer<T> = { body: T; etag: string | undefined };

type Listener = (error: ApiError | null) => void;
const listeners = new Set<Listener>();

/** Hears after each request whether the hub answered; returns what ends that. */
export function onAnswer(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @throws ApiError, or AbortError where `signal` ended it */
export async function request<T>(path: string, options: Options = {}): Promise<Answer<T>> {
  const { method = options.body === undefined ? 'GET' : 'POST', body, ifMatch, signal } = options;
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    // A change may have been made, and only its answer be lost.
    const known = method === 'GET' ? '' : ' Whether this was done is not known yet.';
    const message = `The hub does not answer.${known}`;
    throw told(new ApiError(0, { code: 'OFFLINE', message }, null));
  }
  const parsed = parse(text);
  if (!response.ok) {
    const wait = Number(response.headers.get('Retry-After'));
    throw told(
      new ApiError(
        response.status,
        typeof parsed === 'object' && parsed !== null ? { ...parsed } : {},
        Number.isFinite(wait) && wait > 0 ? wait : null,
      ),
    );
  }
  for (const listener of listeners) listener(null);
  return { body: parsed as T, etag: response.headers.get('ETag') ?? undefined };
}

/** The answer's body alone. @throws as request */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await request<T>(path, signal ? { signal } : {})).body;

/** @throws as request */
export const send = async <T>(
  method: NonNullable<Options['method']>,
  path: string,
  body?: unknown,
): Promise<T> => (await request<T>(path, body === undefined ? { method } : { method, body })).body;

function told(error: ApiError): ApiError {
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
export const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The sentence, and the proxy's own words behind it. */
export const wordsOf = (error: unknown): string =>
  error instanceof ApiError && error.detail !== null
    ? `${error.message} ${error.detail}`
    : sentenceOf(error);
