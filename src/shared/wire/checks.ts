/** How a site's answer has to look, and what hub and agent say to each other about it. */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';

/** Seconds, unless a check says otherwise. */
export const WITHIN = 5;
/** Seconds from one request to the next while nothing changes, unless a check says otherwise. */
const EVERY = 60;

/** How an agent asks: so many at once, and each attempt for at least this long, in milliseconds. */
export const AT_ONCE = 64;
export const LEAST_MS = 1_000;
/** Of an answer: more than any check waits. */
const LONGEST_MS = 600_000;
/** How long a single attempt may take, see `ChecksRequest`. */
export const ONCE_MS = 2_000;
/** How long a trial may run, in milliseconds: a start takes up to 2 s with 10,000 sites, and a check 15 s. */
export const TRIAL_MS = 20_000;

/** Checked by the agent through the proxy's own listener, by the vhost's name; no redirect is followed. */
export const Check = t.Object(
  {
    path: t.String({
      pattern: '^/[!-"$-~]*$',
      maxLength: 2000,
      description: 'with its query, percent-encoded',
    }),
    status: t.Optional(
      integer({
        minimum: 200,
        maximum: 599,
        description: 'default: any from 200 to 299',
      }),
    ),
    contains: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 1000,
        description: 'a text that the first 64 KiB of the body must contain',
      }),
    ),
    within: t.Optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: 15,
        description: `the time limit in seconds; default: ${WITHIN}`,
      }),
    ),
    every: t.Optional(
      t.Union([t.Literal(0), t.Number({ minimum: 10, maximum: 3600, multipleOf: 1 })], {
        description: `how often the site is asked between changes, in seconds; 0: never; default: ${EVERY}`,
      }),
    ),
  },
  {
    title: 'Check',
    description:
      'how the site must answer, before a change is live and again once it is; otherwise the change is refused. It is asked between changes as well',
  },
);
export type Check = Readonly<Static<typeof Check>>;

/** Seconds from one request to the next between changes; 0: none is made. */
export const everyOf = ({ every = EVERY }: Check): number => every;

/** Whether two checks want the same answer, however often they ask for it. */
export const wantsSame = ({ every: _, ...one }: Check, { every: __, ...other }: Check): boolean =>
  Bun.deepEquals(one, other);

/**
 * A name as `SiteState` has it and a port that it is served on; without a check, any answer passes. `tried`:
 * at a trial it passed, in so many milliseconds. It gets 2 s now, or twice that time, never more than its
 * `within`; only while it has no certificate, all of that.
 */
export const CheckTarget = t.Object({
  name: t.String(),
  port: integer(),
  check: t.Union([Check, t.Null()]),
  tried: t.Optional(t.Number({ minimum: 0 })),
});
export type CheckTarget = Static<typeof CheckTarget>;

/** With `once`, each is asked once, for 2 s at most, whatever its `within`. */
export const ChecksRequest = t.Object({
  checks: t.Array(CheckTarget),
  once: t.Optional(t.Boolean()),
});
export type ChecksRequest = Static<typeof ChecksRequest>;

/** Between changes: each is asked once, for all of its `within`. */
export const RoundRequest = t.Object({ checks: t.Array(CheckTarget) });
export type RoundRequest = Static<typeof RoundRequest>;

/**
 * Asks the same of a proxy of its own, which serves `proxyfile` on ports that nobody else knows. With
 * `change`, a change depends on it: it says where it has a `doubt`.
 */
export const TrialRequest = t.Object({
  proxyfile: t.String(),
  checks: t.Array(CheckTarget),
  change: t.Optional(t.Boolean()),
});
export type TrialRequest = Static<typeof TrialRequest>;

/** In the order of the request. */
export const ChecksAnswer = t.Object({
  answers: t.Array(
    t.Object({
      passed: t.Boolean(),
      status: t.Union([integer(), t.Null()], { description: 'null: there was no response' }),
      reason: t.String({
        description: 'the last response in words, for people: `GET / answered 502 instead of 200`',
      }),
      took: t.Optional(
        t.Number({
          minimum: 0,
          maximum: LONGEST_MS,
          description: 'milliseconds that the last response took',
        }),
      ),
      doubt: t.Optional(
        t.Union([t.String(), t.Null()], {
          description:
            'of the trial of a change that did not pass: why the proxy itself may answer otherwise, as a sentence without a full stop; null: it would not; an agent that leaves it out does not know',
        }),
      ),
    }),
  ),
});
export type ChecksAnswer = Static<typeof ChecksAnswer>;
