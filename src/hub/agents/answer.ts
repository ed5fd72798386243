/**
 * Reads the answers of an agent: never decompressed, up to a limit, and checked. An agent is
 * trusted with its own proxy, but must not take the hub down with it.
 */
import { getSchemaValidator, type Static, type TSchema } from 'elysia';
import { isDeep, readAtMost } from '../../shared/bounded.ts';
import { FAILURES, Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import { clip, oneLine } from '../../shared/one-line.ts';
import type { ChecksAnswer } from '../../shared/wire/checks.ts';
import { AgentErrorBody } from '../../shared/wire/protocol.ts';
import { sizeOf } from './bounds.ts';
import type { FetchTls } from './trust.ts';

/** As opposed to an agent that answers, but not as it should. */
export const NO_ANSWER = 'The agent does not answer.';
const INVALID = 'The agent sent an invalid response.';

/** Blocks of a Caddyfile have at most 64 levels, and each has several in the proxy's JSON. */
const DEEPEST = 1024;

/** Codes of the agent that the hub passes on unchanged. */
const PASSED_ON = [
  'AGENT_UNREACHABLE',
  'PROXY_REJECTED',
  'PROXY_UNREACHABLE',
  'STALE',
  'OTHER_HUB',
  'STORAGE_UNAVAILABLE',
  'INVALID_REQUEST',
  'RATE_LIMITED',
  'PROGRAM_REFUSED',
] as const;

type Init = RequestInit & { headers?: object };

/**
 * Sends a request to an agent. Its answer has the size that it has on the wire: a small one that
 * unpacks to gigabytes is refused.
 * @throws Failure AGENT_UNREACHABLE if it is compressed anyway; whatever `fetch` throws
 */
export async function askPlainly(url: string, init: Init, tls: FetchTls | null): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    headers: { ...init.headers, 'Accept-Encoding': 'identity' },
    redirect: 'error',
    decompress: false,
    ...(tls === null ? {} : { tls }),
  });
  const encoding = response.headers.get('content-encoding');
  if (encoding === null || encoding === 'identity') return response;
  await response.body?.cancel();
  throw unreachable(INVALID, `it has the encoding ${encoding}`);
}

/**
 * @param limit bytes
 * @throws Failure AGENT_UNREACHABLE if there is more; whatever else ends the answer early
 */
export async function bytesOf({ body }: Response, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  try {
    return await readAtMost(reader, limit, () =>
      unreachable(`The agent’s response is larger than ${sizeOf(limit)}.`, 'it was not read on'),
    );
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
}

/** @throws Failure AGENT_UNREACHABLE if it is not JSON */
export function parseAnswer(bytes: Uint8Array): unknown {
  if (isDeep(bytes, DEEPEST)) throw unreachable(INVALID, 'it is nested too deeply');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw unreachable(NO_ANSWER, cause);
  }
}

/**
 * @param missing why the agent may answer that there is no such thing; without, it should not
 * @throws Failure if the answer is a refusal, or does not have the schema
 */
export function checked<T extends TSchema>(
  schema: T,
  ok: boolean,
  bytes: Uint8Array,
  missing?: string,
): Static<T> {
  const answer = parseAnswer(bytes);
  if (!ok) throw refusalOf(answer, missing);
  const validator = validatorOf(schema);
  if (validator.Check(answer)) return answer as Static<T>;
  const path = validator.Errors(answer).First()?.path ?? '';
  throw unreachable(INVALID + about(path), answer);
}

/** What an agent says of sites, as it is shown: an answer may be of a stranger's server. */
export const inWords = ({ answers }: ChecksAnswer): ChecksAnswer => ({
  answers: answers.map(({ reason, doubt, ...answer }) => ({
    ...answer,
    reason: clip(oneLine(reason)),
    ...(doubt !== undefined && { doubt: doubt && clip(oneLine(doubt)) }),
  })),
});

/** Names the field at fault, as the routes do, but never its value. */
const about = (path: string): string =>
  path === ''
    ? ''
    : ` The field "${path.slice(1, LONGEST_FIELD).replaceAll('/', '.')}" is missing or malformed.`;

/** Some names are those of hosts, which are up to visitors. */
const LONGEST_FIELD = 81;

/** Made of a copy, because Elysia forbids unknown fields in the routes that use the same schema. */
const validatorOf = memoize((schema: TSchema) => getSchemaValidator(tolerant(schema)));

/** A copy in which every object may have more fields: those of a newer agent. */
function tolerant<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(tolerant) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of Reflect.ownKeys(schema)) copy[key] = tolerant(Reflect.get(schema, key));
  if (copy.type === 'object' && 'properties' in copy) copy.additionalProperties = true;
  return copy as T;
}

/** What an unexpected answer stands for. */
export function refusalOf(answer: unknown, missing?: string): Failure {
  if (isErrorBody(answer)) {
    if (missing !== undefined && answer.code === 'NOT_FOUND') {
      return new Failure('NOT_FOUND', missing);
    }
    const code = PASSED_ON.find((known) => known === answer.code);
    const { message, words, hint, line } = answer;
    if (code) return new Failure(code, message, { detail: words, hint, at: { line } });
    // Only a proxyfile is that large.
    if (answer.code === 'BODY_TOO_LARGE') {
      return new Failure(
        'PROXY_REJECTED',
        'The Caddyfile would be too large; nothing was changed.',
        {
          detail: `All sites and their policies make one Caddyfile. ${message}`,
          hint: 'Shorten the policies that many sites use, because each site repeats their text.',
          cause: answer.code,
        },
      );
    }
    if (answer.code === 'OTHER_PROTOCOL') {
      return unreachable(FAILURES.OTHER_PROTOCOL.meaning, answer.code);
    }
    if (answer.code === 'UNAUTHENTICATED') {
      return unreachable('The agent rejects the hub’s token.', answer.code);
    }
  }
  return unreachable(INVALID, answer);
}

const isErrorBody = (answer: unknown): answer is AgentErrorBody =>
  validatorOf(AgentErrorBody).Check(answer);

/** @param cause why, for the log */
export const unreachable = (message: string, cause: unknown) =>
  new Failure('AGENT_UNREACHABLE', message, { cause });
