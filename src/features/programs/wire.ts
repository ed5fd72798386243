/** Caddy's program, and what hub and agent say to each other to exchange it. */
import { type Static, t } from 'elysia';
import type { BodyCall, Call } from '../../shared/wire/call.ts';
import { CheckTarget } from '../../shared/wire/checks.ts';
import { Difference, HubId, Term } from '../../shared/wire/protocol.ts';
import { KeptCertificate } from '../../shared/wire/proxy.ts';

/** How large a program may be: Caddy with 60 plugins has 120 MB. */
export const MOST_PROGRAM_BYTES = 200 * 1024 * 1024;

/** SHA-256 in lower-case hexadecimal. */
export const Sum = t.String({ pattern: '^[0-9a-f]{64}$' });

export const Program = t.Object({
  sha256: Sum,
  version: t.Union([t.String(), t.Null()], { description: 'null for a build from source' }),
  modules: t.Array(t.String({ examples: ['http.handlers.reverse_proxy'] })),
  since: t.Union([t.String(), t.Null()], {
    description: 'when it began to run; null if that is not known, or it never ran',
  }),
});
export type Program = Static<typeof Program>;

export const Probation = t.Object({ until: t.String() });

export const ProgramsAnswer = t.Object({
  current: t.Union([Program, t.Null()], { description: 'null if it cannot be asked' }),
  previous: t.Array(Program, { description: 'those that are kept to go back to, the last first' }),
  probation: t.Union([Probation, t.Null()]),
  managed: t.Boolean({ description: 'whether the agent runs Caddy, and can exchange it' }),
  unit: t.Union([t.String(), t.Null()], {
    description: 'the systemd service that runs it otherwise; null if there is none',
  }),
});
export type ProgramsAnswer = Static<typeof ProgramsAnswer>;

/** Has the agent fetch a program, which is then stored but not run. */
export const FetchRequest = t.Object({
  url: t.String({ pattern: '^https?://', maxLength: 2000 }),
  sha256: Sum,
});
export type FetchRequest = Static<typeof FetchRequest>;

/**
 * Exchanges the program for a stored one. `proxyfile` is the same set as is live, in the words of the new
 * program's version; `hub`, `term`, `expects` and `certificates` as in `ReloadRequest`. `checks`: those of the
 * sites, each of which must pass if it passes now.
 */
export const ExchangeRequest = t.Object({
  sha256: Sum,
  proxyfile: t.String(),
  hub: t.Optional(HubId),
  term: t.Optional(Term),
  expects: t.Optional(t.String()),
  certificates: t.Optional(t.Array(KeptCertificate)),
  checks: t.Array(CheckTarget),
});
export type ExchangeRequest = Static<typeof ExchangeRequest>;

export const ExchangeAnswer = t.Object({
  success: t.Literal(true),
  digest: t.String(),
  from: t.Union([t.String(), t.Null()], { description: 'the version that ran before' }),
  to: t.Union([t.String(), t.Null()]),
  differences: t.Array(Difference, { description: 'those that are not worse' }),
  leftOut: t.Array(t.Object({ reason: t.String(), count: t.Integer() }), {
    description: 'requests in the log that could not be asked again',
  }),
});
export type ExchangeAnswer = Static<typeof ExchangeAnswer>;

const ProgramsQuery = t.Object({});

/** Which program the proxy runs, and which others the agent keeps. */
export const PROGRAMS: Call<typeof ProgramsQuery, typeof ProgramsAnswer> = {
  path: '/proxy/programs',
  query: ProgramsQuery,
  answer: ProgramsAnswer,
  deadline: 10_000,
};

/** For a program to arrive at the agent, or from elsewhere, in milliseconds: 200 MiB at 3 Mbit/s. */
const ARRIVES_MS = 600_000;

const KeepQuery = t.Object({ sha256: Sum });

/** Has the agent keep a program, which does not run yet. @throws Failure INVALID_REQUEST, STORAGE_UNAVAILABLE */
export const KEEP: Call<typeof KeepQuery, typeof Program> = {
  path: '/proxy/programs',
  query: KeepQuery,
  answer: Program,
  deadline: ARRIVES_MS,
};

/** The same of one that the agent fetches. @throws as `KEEP` */
export const FETCH: BodyCall<typeof FetchRequest, typeof Program> = {
  path: '/proxy/programs/fetch',
  body: FetchRequest,
  answer: Program,
  deadline: ARRIVES_MS,
};

/**
 * Exchanges the program that runs for one that the agent keeps.
 * @throws Failure NOT_FOUND, ON_PROBATION, PROGRAM_REFUSED, INVALID_REQUEST, and as a publish
 */
export const EXCHANGE: BodyCall<typeof ExchangeRequest, typeof ExchangeAnswer> = {
  path: '/proxy/program',
  body: ExchangeRequest,
  answer: ExchangeAnswer,
  /** The questions from the log take up to 60 s. */
  deadline: 180_000,
  missing: 'The agent does not keep this program; upload it again.',
};
