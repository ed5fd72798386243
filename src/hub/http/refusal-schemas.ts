/** The refusals of a route as response schemas, each with the codes it may carry. */
import { t } from 'elysia';
import { FAILURES, type FailureCode } from '../../shared/failure.ts';
import { ErrorBody } from '../../shared/wire.ts';

/** Whatever is asked: a Host that makes no URL, and what nobody expected. */
export const ANY = ['INVALID_REQUEST', 'INTERNAL'] as const;
/** Whatever has to do with accounts: another host than `HUB_ORIGINS`, and a disk that is full. */
export const OPEN = [...ANY, 'FORBIDDEN_ORIGIN', 'STORAGE_UNAVAILABLE'] as const;
/** What the guard lets a session and any API token do. */
export const READS = [...OPEN, 'UNAUTHENTICATED'] as const;
/** What an API token may not do, or only one that may write. */
export const WRITES = [...READS, 'FORBIDDEN'] as const;
/** What a JSON body may have wrong about it. */
export const BODY = ['INVALID_JSON', 'BODY_TOO_LARGE', 'BODY_TOO_SLOW'] as const;
/** What somebody who chooses a password, or fills in a form about accounts, may hear. */
export const NEW_PASSWORD = [
  'VALIDATION_ERROR',
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
] as const;
/** What comes from the agent. */
export const ASKS_AGENT = [...READS, 'AGENT_UNREACHABLE'] as const;
/** What the agent has to ask the proxy for. */
export const ASKS_PROXY = [...ASKS_AGENT, 'PROXY_UNREACHABLE'] as const;
/** What any publish may be refused with. */
export const PUBLISHES = [
  ...WRITES,
  'IMPORT_FIRST',
  'PROXY_REJECTED',
  'PROXY_UNREACHABLE',
  'AGENT_UNREACHABLE',
] as const;

type Refusals<Code extends FailureCode> = {
  [S in (typeof FAILURES)[Code]['status']]: typeof ErrorBody;
};

const made = new Map<string, typeof ErrorBody>();

/** Equal lists share a schema, so that it is compiled once. */
function schemaOf(codes: readonly FailureCode[]): typeof ErrorBody {
  const key = codes.join();
  const known = made.get(key);
  if (known) return known;
  const schema = t.Object(
    { ...ErrorBody.properties, code: t.Union(codes.map((code) => t.Literal(code))) },
    { title: 'Error' },
  );
  // The same to whoever reads it: a code is text.
  const as = schema as unknown as typeof ErrorBody;
  made.set(key, as);
  return as;
}

/** `{400: …, 401: …}` for `response`, by the status each code travels with. */
export function refusals<const Code extends FailureCode>(...codes: readonly Code[]) {
  const byStatus = Map.groupBy(new Set<FailureCode>(codes), (code) => FAILURES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [status, schemaOf(some.toSorted())]),
  ) as Refusals<Code>;
}
