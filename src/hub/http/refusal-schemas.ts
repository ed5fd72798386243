/** Response schemas of a route's errors, with the codes that each status can carry. */
import { t } from 'elysia';
import { FAILURES, type FailureCode } from '../../shared/failure.ts';
import { ErrorBody } from '../../shared/wire/protocol.ts';

/** Any route: an invalid Host header, and unexpected errors. */
export const ANY = ['INVALID_REQUEST', 'INTERNAL'] as const;
/** Routes open to anyone: also a host missing from `HUB_ORIGINS`, a full disk, a damaged database. */
export const OPEN = [
  ...ANY,
  'FORBIDDEN_ORIGIN',
  'STORAGE_UNAVAILABLE',
  'DATABASE_UNUSABLE',
] as const;
/** Routes for a session or any API token. */
export const READS = [...OPEN, 'UNAUTHENTICATED'] as const;
/** Routes for a session only, or for a session or an API token with the scope `write`. */
export const WRITES = [...READS, 'FORBIDDEN', 'FORBIDDEN_ROLE'] as const;
export const TOO_MUCH = ['BODY_TOO_LARGE', 'BODY_TOO_SLOW'] as const;
export const BODY = ['INVALID_JSON', ...TOO_MUCH] as const;
/** Routes that set a password. */
export const NEW_PASSWORD = [
  'VALIDATION_ERROR',
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
] as const;
export const ASKS_AGENT = ['AGENT_UNREACHABLE'] as const;
/** Routes for which the agent asks the proxy. */
export const ASKS_PROXY = [...ASKS_AGENT, 'PROXY_UNREACHABLE'] as const;
export const PUBLISHES = [
  ...ASKS_PROXY,
  'IMPORT_FIRST',
  'OTHER_HUB',
  'PROXY_REJECTED',
  'CHECK_FAILED',
  'STOPPING',
] as const;
/** What an undo is refused with besides. */
export const UNDOES = [
  'NOT_FOUND',
  'DOMAIN_TAKEN',
  'POLICY_TAKEN',
  'POLICY_IN_USE',
  'CERTIFICATE_TAKEN',
  'REVERT_CONFLICT',
  'SESSION_NOT_FRESH',
] as const;

type Refusals<Code extends FailureCode> = {
  [S in (typeof FAILURES)[Code]['status']]: typeof ErrorBody;
};

const made = new Map<string, typeof ErrorBody>();

/** Equal lists share one schema, so that it is compiled only once. */
function schemaOf(codes: readonly FailureCode[]): typeof ErrorBody {
  const key = codes.join();
  const known = made.get(key);
  if (known) return known;
  const schema = t.Object(
    { ...ErrorBody.properties, code: t.Union(codes.map((code) => t.Literal(code))) },
    { title: 'Error' },
  );
  // For TypeScript a code is any text.
  const as = schema as unknown as typeof ErrorBody;
  made.set(key, as);
  return as;
}

/** `{400: …, 401: …}` for a route's `response`, grouped by the status of each code. */
export function refusals<const Code extends FailureCode>(...codes: readonly Code[]) {
  const byStatus = Map.groupBy(new Set<FailureCode>(codes), (code) => FAILURES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [status, schemaOf(some.toSorted())]),
  ) as Refusals<Code>;
}
