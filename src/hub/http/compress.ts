/** Compresses long answers of the API: the list of 10,000 sites has 2.6 MB, in gzip 0.2. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pathOf } from '../../shared/http.ts';
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

/** How many answers are kept in gzip: lists that many ask for stay the same for a while. */
const KEPT = 2;

/** For Elysia's `wrap`: gives JSON in gzip to clients that accept it. Streams are never JSON. */
export function compressJson(): Wrap {
  let kept: { body: Buffer; packed: ReturnType<typeof compress> }[] = [];

  function pack(body: Buffer): ReturnType<typeof compress> {
    const known = kept.find((one) => one.body.equals(body));
    const { packed } = known ?? { packed: compress(body, { level: LEVEL }) };
    kept = [{ body, packed }, ...kept.filter((one) => one !== known)].slice(0, KEPT);
    return packed;
  }

  const wrap =
    (handle: Handler): Handler =>
    async (request) => {
      const response = await handle(request);
      const { headers, status } = response;
      const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
      // A strong ETag names one sequence of bytes.
      const isExact = headers.get('etag')?.startsWith('"');
      if (!isJson || isExact || !takesGzip(request)) return response;
      if (NEVER.test(pathOf(request))) return response;
      const body = await response.arrayBuffer();
      if (body.byteLength < FROM_BYTES) return new Response(body, { status, headers });
      headers.delete('content-length');
      headers.set('content-encoding', 'gzip');
      headers.append('vary', 'Accept-Encoding');
      return new Response(await pack(Buffer.from(body)), { status, headers });
    };
  return wrap as unknown as Wrap;
}

/** RFC 9110 12.5.3, as far as browsers use it; `gzip;q=0` means no. */
export const takesGzip = (request: Request): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(
    request.headers.get('accept-encoding') ?? '',
  );
