/** Caddy's program, and what hub and agent say to each other about it. */
import { type Static, t } from 'elysia';
import type { BodyCall, Call } from '../../shared/wire/call.ts';

const described = {
  version: t.Union([t.String(), t.Null()], { description: 'null for a build from source' }),
  sha256: t.String({ description: 'SHA-256 in lower-case hexadecimal' }),
  modules: t.Array(t.String({ examples: ['http.handlers.reverse_proxy'] })),
};

export const Program = t.Object({
  ...described,
  since: t.Union([t.String(), t.Null()], {
    description: 'when Caddy was started; null if another program runs it',
  }),
});
export type Program = Static<typeof Program>;

export const NextProgram = t.Object({
  ...described,
  differs: t.Array(t.String({ examples: ['a.example: GET / gets 502 instead of 200'] }), {
    description: 'what it would do otherwise, the worst first',
  }),
});

export const ProgramsAnswer = t.Object({
  current: t.Union([Program, t.Null()], { description: 'null if it cannot be asked' }),
  next: t.Union([NextProgram, t.Null()], {
    description: 'another program at `PROXY_BIN`, once it was tried with all sites; null: none',
  }),
  managed: t.Boolean({ description: 'whether the agent runs Caddy, and can restart it' }),
  unit: t.Union([t.String(), t.Null()], {
    description: 'the systemd service that runs it otherwise; null if there is none',
  }),
});
export type ProgramsAnswer = Static<typeof ProgramsAnswer>;

const Nothing = t.Object({});

/** Which program the proxy runs, and which other one it could run. */
export const PROGRAMS: Call<typeof Nothing, typeof ProgramsAnswer> = {
  path: '/proxy/programs',
  query: Nothing,
  answer: ProgramsAnswer,
  deadline: 10_000,
};

/**
 * Restarts the proxy, with the program that is at `PROXY_BIN` now.
 * @throws Failure PROGRAM_REFUSED, INVALID_REQUEST, STALE, PROXY_UNREACHABLE, STORAGE_UNAVAILABLE
 */
export const RESTART: BodyCall<typeof Nothing, typeof ProgramsAnswer> = {
  path: '/proxy/restart',
  body: Nothing,
  answer: ProgramsAnswer,
  /** The questions from the log take up to 60 s. */
  deadline: 180_000,
};
