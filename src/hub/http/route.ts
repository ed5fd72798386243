/** A route's schemas, refusals and OpenAPI `detail`, from one declaration. Pure. */
import type { TSchema } from 'elysia';
import type { FailureCode } from '../../shared/failure.ts';
import { type About, about, neededBy } from './about.ts';
import {
  ASKS_AGENT,
  ASKS_PROXY,
  BODY,
  OPEN,
  PUBLISHES,
  READS,
  refusals,
  TOO_MUCH,
  WRITES,
} from './refusal-schemas.ts';
import { Success } from './schemas.ts';

/** What a request has, besides its headers; Elysia checks it. */
type Schemas = { params?: TSchema; query?: TSchema; body?: TSchema };

type Answers<Ok extends TSchema, Status extends number> = {
  /** The body of a successful response; only that it is one, if left out. */
  returns?: Ok;
  /** Of a successful response; 200 if left out. */
  status?: Status;
  /** Whom it asks without a change: agents, or their proxies through them. */
  asks?: 'agent' | 'proxy';
  /** Whether it changes what the proxies serve. */
  publishes?: true;
  /**
   * With which codes it refuses, besides those that follow: from `access`, `needs`, `fresh`, `asks` and `publishes`;
   * from a body (that it is none, or too large), from `params` and an `agent` in
   * `query` (that there is none), and from the headers that it reads.
   */
  refuses?: readonly FailureCode[];
};

type Route = Schemas & Answers<TSchema, number> & About;

/** The schemas that were given, as Elysia infers the context of the handler from them. */
type Hook<Given extends Schemas, Ok extends TSchema, Status extends number> = Pick<
  Given,
  keyof Given & keyof Schemas
> & { response: { [S in Status]: Ok }; detail: ReturnType<typeof about> };

/** What a controller hands to Elysia beside a handler. */
export function route<
  Given extends Schemas,
  Ok extends TSchema = typeof Success,
  Status extends number = 200,
>(of: Given & Answers<Ok, Status> & About): Hook<Given, Ok, Status> {
  // TypeScript does not see which of the schemas were given.
  const one: Route = of;
  const { params, query, body, returns, status = 200, ...documented } = one;
  return {
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    response: { [status]: returns ?? Success, ...refusals(...codesOf(one)) },
    detail: about({
      ...(!returns && SUCCEEDED),
      ...documented,
      parameters: { ...params?.properties, ...query?.properties },
    }),
  } as unknown as Hook<Given, Ok, Status>;
}

const SUCCEEDED = { example: { success: true } };

const BY_ACCESS = { anyone: OPEN, local: READS, read: READS, write: WRITES, session: WRITES };
const BY_ASKING = { agent: ASKS_AGENT, proxy: ASKS_PROXY };
const BY_HEADER = {
  'If-Match': ['PRECONDITION_FAILED'],
  'Idempotency-Key': ['KEY_REUSED'],
  'If-None-Match': [],
  'Last-Event-ID': [],
} as const;

function codesOf(of: Route): FailureCode[] {
  const { requestHeaders = [], refuses = [] } = of;
  const codes: FailureCode[] = [...BY_ACCESS[of.access]];
  if (of.access === 'read' && neededBy(of) !== 'viewer') codes.push('FORBIDDEN_ROLE');
  if (of.fresh) codes.push('SESSION_NOT_FRESH');
  if (of.asks) codes.push(...BY_ASKING[of.asks]);
  if (of.publishes) codes.push(...PUBLISHES);
  if (of.params ?? of.query?.properties.agent) codes.push('NOT_FOUND');
  if (of.body) codes.push(...(of.isForm ? TOO_MUCH : BODY));
  return [...codes, ...requestHeaders.flatMap((name) => BY_HEADER[name]), ...refuses];
}
