/** Reads what others send: within a limit, and not deeper than it may be. */

/**
 * @param limit bytes @param tooLarge makes the error for more
 * @throws that error, and what the reader fails with
 */
export async function readAtMost(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  limit: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** The text of a stream; null if it has more bytes than `most`, and it is not read further then. */
export async function textUpTo(
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let left = most;
  for await (const chunk of stream) {
    left -= chunk.length;
    if (left < 0) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A program's error is at the end of its output, so only this much of that is kept. */
export const TAIL_BYTES = 64 * 1024;

/** The end of a stream, as text. */
export async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * TAIL_BYTES) kept = kept.subarray(-TAIL_BYTES);
  }
  return kept.subarray(-TAIL_BYTES).toString();
}

/** The same bytes in UTF-8 as in ASCII, and part of no other character. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * Whether JSON text has more than `deepest` levels. This is checked before it is parsed: parsing 16 MiB
 * of brackets takes seconds, and Elysia prints a body that does not match its schema with indentation,
 * whose length grows with the square of the depth.
 */
export function isDeep(bytes: Uint8Array, deepest: number): boolean {
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset];
    if (byte === QUOTE) {
      do offset = bytes.indexOf(QUOTE, offset + 1);
      while (offset > 0 && isEscaped(bytes, offset));
      if (offset < 0) return false;
    } else if (byte === OPENING[0] || byte === OPENING[1]) {
      if (++depth > deepest) return true;
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) {
      depth--;
    }
  }
  return false;
}

function isEscaped(bytes: Uint8Array, quote: number): boolean {
  let before = quote - 1;
  while (bytes[before] === BACKSLASH) before--;
  return (quote - before) % 2 === 0;
}
