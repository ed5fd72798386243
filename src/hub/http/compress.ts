/** Compresses long answers of the API: the list of 10,000 sites has 2.6 MB, in gzip 0.2. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
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
