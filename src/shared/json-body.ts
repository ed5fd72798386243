/** Reads bodies late, once the guards have run, and with limits. */
import { Elysia } from 'elysia';
import { createPauses, within } from './async.ts';
import { FAILURES, Failure } from './failure.ts';

const UNREAD = Symbol('the body is not read yet');

/** Enough for 16 MiB at 1 Mbit/s, a slow line. */
const BODY_DEADLINE_MS = 120_000;

/** Keeps Elysia from reading bodies before the guards have run; mount it next to `errors`. */
export const lateBodies = () =>
  new Elysia({ name: 'late-bodies' }).onParse({ as: 'global' }, () => ({ [UNREAD]: true }));

/**
 * Reads the JSON bodies of the routes mounted after it, once the guards have run, so that strangers
 * learn nothing from the faults in a body. Ignores `Content-Type`: `curl -d` claims to send a form.
 * @param limit how many bytes a body may have
 * @param deadline milliseconds in which all of it has to arrive
 * @throws Failure INVALID_JSON, BODY_TOO_LARGE, BODY_TOO_SLOW
 */
export function jsonBody(limit: number, deadline = BODY_DEADLINE_MS) {
  return new Elysia({ name: 'json-body', seed: `${limit} ${deadline}` }).onTransform(
    { as: 'scoped' },
    async (context) => {
      const { body } = context;
      if (typeof body !== 'object' || body === null || !(UNREAD in body)) return;
      const bytes = await readBounded(context.request, limit, deadline);
      const pause = createPauses();
      const parsed = parseBody(bytes);
      await pause();
      // Elysia would take anything else for an object without any of its optional fields.
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        throw NOT_AN_OBJECT;
      context.body = parsed;
    },
  );
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`;

async function readBounded(request: Request, limit: number, deadline: number): Promise<Uint8Array> {
  const tooLarge = () => new Failure('BODY_TOO_LARGE', `The body is larger than ${sizeOf(limit)}.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const readAll = async () => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > limit) throw tooLarge();
      chunks.push(part.value);
    }
    return Buffer.concat(chunks);
  };
  // The idle timeout does not end a connection whose body trickles in.
  return within(readAll(), deadline, () => {
    void reader.cancel();
    throw new Failure('BODY_TOO_SLOW', FAILURES.BODY_TOO_SLOW.meaning);
  });
}

function parseBody(bytes: Uint8Array): unknown {
  if (isDeep(bytes)) throw invalidJson();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, MAY_NAME_TO_STRING.test(text) ? withoutToString : undefined);
  } catch {
    throw invalidJson();
  }
}

/** The name, or any that is written with escapes. */
const MAY_NAME_TO_STRING = /"toString"|\\u00/i;

/** Elysia writes the value of a malformed field into a sentence, and would fail on such a `toString`. */
const withoutToString = (key: string, value: unknown): unknown =>
  key === 'toString' ? undefined : value;

/** No body of either API is nested more than three levels deep. */
const DEEPEST = 32;
/** The same bytes in UTF-8 as in ASCII, and part of no other character. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * Whether JSON text is nested too deeply. This is checked before it is parsed: parsing 16 MiB of
 * brackets takes seconds, and Elysia prints a body that does not match its schema with indentation,
 * whose length grows with the square of the depth.
 */
function isDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset];
    if (byte === QUOTE) {
      do offset = bytes.indexOf(QUOTE, offset + 1);
      while (offset > 0 && isEscaped(bytes, offset));
      if (offset < 0) return false;
    } else if (byte === OPENING[0] || byte === OPENING[1]) {
      if (++depth > DEEPEST) return true;
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

/** What `jsonBody` throws; which failure that is depends on the path. */
export const NOT_AN_OBJECT = new Error('the body is not a JSON object');

export const invalidJson = () => new Failure('INVALID_JSON', 'The body is not valid JSON.');
