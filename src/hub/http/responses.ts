/** What every response gets beside its content: security headers, an entity tag, and gzip if it is long. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Failure } from '../../shared/failure.ts';
import { jsonText, pathOf } from '../../shared/http.ts';
import type { Handler, Wrap } from '../../shared/observe/requests.ts';

/** Shorter answers fit in a few packets anyway. */
const FROM_BYTES = 8 * 1024;

/** The fastest one: 15 ms for 2.6 MB, in a thread of its own. */
const LEVEL = 1;

/**
 * Whoever can see how long an answer is could guess what is secret in it if they can also put words
 * into it (BREACH). These have secrets, or lines of the access log, which anyone can write into.
 */
const NEVER = /^\/api\/(auth|tokens|users|logs)(\/|$)/;

const compress = promisify(gzip);

/** JSON that many ask for: its bytes are made and compressed once. */
export function sharedJson(text: string): (request: Request) => Promise<Response> {
  const body = Buffer.from(text);
  let packed: ReturnType<typeof compress> | undefined;
  return async (request) => {
    if (body.byteLength < FROM_BYTES || !takesGzip(request)) return jsonText(body);
    packed ??= compress(body, { level: LEVEL });
    return jsonText(await packed, PACKED);
  };
}

const PACKED = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };

/** For Elysia's `wrap`: gives JSON in gzip to clients that accept it. Streams are never JSON. */
export function compressJson(): Wrap {
  const wrap =
    (handle: Handler): Handler =>
    async (request) => {
      const response = await handle(request);
      const { headers, status } = response;
      const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
      // A strong ETag names one sequence of bytes.
      const isExact = headers.get('etag')?.startsWith('"');
      const isPacked = headers.has('content-encoding');
      if (!isJson || isExact || isPacked || !takesGzip(request)) return response;
      if (NEVER.test(pathOf(request))) return response;
      const body = await response.arrayBuffer();
      if (body.byteLength < FROM_BYTES) return new Response(body, { status, headers });
      headers.delete('content-length');
      for (const [name, value] of Object.entries(PACKED)) headers.append(name, value);
      return new Response(await compress(body, { level: LEVEL }), { status, headers });
    };
  return wrap as unknown as Wrap;
}

/** RFC 9110 12.5.3, as far as browsers use it; `gzip;q=0` means no. */
export const takesGzip = (request: Request): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(
    request.headers.get('accept-encoding') ?? '',
  );

/**
 * The dashboard loads only its own files: no inline script or style, no framing, nothing from
 * other origins (OWASP HTTP Headers Cheat Sheet). Icons in style sheets are `data:` images.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const EVERYWHERE = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`, which makes browsers send `Origin: null` from our own pages.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The headers of a response for `path`; API responses must not be cached. */
export const securityHeaders = (path: string): Record<string, string> =>
  path.startsWith('/api') ? { ...EVERYWHERE, 'Cache-Control': 'no-store' } : EVERYWHERE;

/** A strong entity tag (RFC 9110, 8.8.3) over everything in `shown`. */
export function etagOf(shown: object): string {
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('hex');
  return `"${digest.slice(0, 32)}"`;
}

/** Whether an `If-None-Match` header (RFC 9110, 13.1.2) names the tag: the client has what it would get. */
export const isNamedBy = (request: Request, tag: string): boolean =>
  (request.headers.get('if-none-match') ?? '')
    .split(',')
    .some((one) => ['*', tag, tag.replace(/^W\//, '')].includes(one.trim()));

/**
 * The check that an `If-Match` header (RFC 9110, 13.1.1) asks for; undefined if there is none. It
 * throws Failure PRECONDITION_FAILED unless the header names the tag.
 * @param what names the kind of thing in the message
 */
export function ifMatch(request: Request, what: string): ((tag: string) => void) | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (tag) => {
    if (tags.includes(tag)) return;
    throw new Failure('PRECONDITION_FAILED', `The ${what} has changed since you read it.`);
  };
}
