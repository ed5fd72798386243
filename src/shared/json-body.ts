/** Reads bodies late, once the guards have run, and with limits. */
import { Elysia } from 'elysia';
import { createPauses, within } from './async.ts';
import { isDeep, readAtMost } from './bounded.ts';
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
      context.body = await readJson(context.request, limit, deadline);
    },
  );
}

/**
 * The same for forms that carry files (`multipart/form-data`).
 * @throws Failure INVALID_REQUEST, BODY_TOO_LARGE, BODY_TOO_SLOW
 */
export const formBody = (limit: number) =>
  new Elysia({ name: 'form-body', seed: limit }).onTransform({ as: 'scoped' }, async (context) => {
    const { request } = context;
    const type = request.headers.get('content-type') ?? '';
    const bytes = await readBounded(request, limit, BODY_DEADLINE_MS);
    const headers = { 'Content-Type': type };
    const form = await new Response(bytes, { headers }).formData().catch(() => {
      const message = 'The body is no form: send it as multipart/form-data, with a `file`.';
      throw new Failure('INVALID_REQUEST', message, { at: { field: 'file' } });
    });
    context.body = Object.fromEntries(form);
  });

/**
 * Reads the body of a request before `jsonBody` would, which then leaves it alone.
 * @throws as `jsonBody`
 */
export async function readJson(
  request: Request,
  limit: number,
  deadline = BODY_DEADLINE_MS,
): Promise<object> {
  const bytes = await readBounded(request, limit, deadline);
  const pause = createPauses();
  const parsed = parseBody(bytes);
  await pause();
  // Elysia would take anything else for an object without any of its optional fields.
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw NOT_AN_OBJECT;
  return parsed;
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`;

async function readBounded(
  request: Request,
  limit: number,
  deadline: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new Failure('BODY_TOO_LARGE', `The body is larger than ${sizeOf(limit)}.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  // The idle timeout does not end a connection whose body trickles in.
  return within(readAtMost(reader, limit, tooLarge), deadline, () => {
    void reader.cancel();
    throw new Failure('BODY_TOO_SLOW', FAILURES.BODY_TOO_SLOW.meaning);
  });
}

function parseBody(bytes: Uint8Array): unknown {
  if (isDeep(bytes, DEEPEST)) throw invalidJson();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const parsed: unknown = JSON.parse(
      text,
      MAY_NAME_TO_STRING.test(text) ? withoutToString : undefined,
    );
    // Elysia takes what it holds for fields of the body. Further in, schemas refuse it, or it is a name like others.
    if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, '__proto__');
    return parsed;
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

/** What `jsonBody` throws; which failure that is depends on the path. */
export const NOT_AN_OBJECT = new Error('the body is not a JSON object');

export const invalidJson = () => new Failure('INVALID_JSON', 'The body is not valid JSON.');
