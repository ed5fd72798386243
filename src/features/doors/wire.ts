/** What a hub asks an agent about who gets in to its sites, and who came. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { BodyCall } from '../../shared/wire/call.ts';
import { OPENS, type Opens } from './shared/opens.ts';

/** Days of the log that are read. */
export const DAYS = { least: 1, most: 90 } as const;

/** Milliseconds: a trial of all sites, and a look through the log. */
export const TRIAL_MS = 30_000;
const VISITS_MS = 15_000;
const MOST_SITES = 10_000;
const MOST_NAMES = 1_000;
const ANSWER_BYTES = 16 * 1024 * 1024;
const OLDER = 'The agent cannot tell who gets in: it is of an older version.';

/** What a stranger got. `status` is that of the trial, which answers instead of upstreams; null: no response. */
const Got = t.Object({
  /** With its method, unless that is GET. */
  path: t.String(),
  opensTo: t.Unsafe<Opens>(t.Union(OPENS.map((one) => t.Literal(one)))),
  status: t.Union([integer(), t.Null()]),
  /** Why it is unsure. */
  reason: t.Optional(t.String()),
});
export type Got = Static<typeof Got>;

export const TrialRequest = t.Object({
  /** Addresses of sites, each with paths to ask for. */
  places: t.Array(
    t.Object({ name: t.String(), port: integer(), paths: t.Array(t.String(), { maxItems: 20 }) }),
    { maxItems: MOST_SITES },
  ),
});
export type TrialRequest = Static<typeof TrialRequest>;

/** In the order of the request. */
export const TrialAnswer = t.Object({ places: t.Array(t.Array(Got)) });
export type TrialAnswer = Static<typeof TrialAnswer>;

/** Asks a Caddy with the live configuration, which visitors do not reach, for each site as a stranger. */
export const TRIAL: BodyCall<typeof TrialRequest, typeof TrialAnswer> = {
  path: '/proxy/doors/trial',
  body: TrialRequest,
  answer: TrialAnswer,
  deadline: TRIAL_MS + 15_000,
  limit: ANSWER_BYTES,
  missing: OLDER,
};

/** `days`: how far back; `sites`: the names of each; an empty one is for all that no other one is for. */
export const VisitsRequest = t.Object({
  days: integer({ minimum: DAYS.least, maximum: DAYS.most }),
  sites: t.Array(t.Array(t.String(), { maxItems: MOST_SITES }), { maxItems: MOST_SITES }),
});

/**
 * Visitors by address. Those who were let in at least once are `home` if their address is private, otherwise
 * `outside`; the others are `refused`. `named`: those of whom the log has a user name; `served`: those from outside who
 * got a 2xx response.
 */
const Visits = t.Object({
  home: integer(),
  outside: integer(),
  refused: integer(),
  named: integer(),
  served: integer(),
  /** When somebody was last let in, in milliseconds since 1970; null: never. */
  last: t.Union([t.Number(), t.Null()]),
});
export type Visits = Static<typeof Visits>;

export const VisitsAnswer = t.Object({
  /** In the order of the request. */
  sites: t.Array(Visits),
  /** For each name that somebody asked for, the paths that visitors asked for most, without a query. */
  hosts: t.Array(t.Object({ host: t.String(), paths: t.Array(t.String()) })),
  /** The first entry of the log, in milliseconds since 1970; null: it is empty. */
  since: t.Union([t.Number(), t.Null()]),
  /** Whether all of the time was read. */
  complete: t.Boolean(),
});
export type VisitsAnswer = Static<typeof VisitsAnswer>;

/** Counts, in the access log, who came to each site. */
export const VISITS: BodyCall<typeof VisitsRequest, typeof VisitsAnswer> = {
  path: '/proxy/doors/visits',
  body: VisitsRequest,
  answer: VisitsAnswer,
  deadline: VISITS_MS,
  limit: ANSWER_BYTES,
  missing: OLDER,
};

/** `hosts` as the site names them, `except` those of other sites. */
const Requests = {
  hosts: t.Array(t.String(), { minItems: 1, maxItems: MOST_NAMES }),
  except: t.Array(t.String(), { maxItems: MOST_SITES }),
};

/** `since`: in milliseconds since 1970. */
export const RefusedRequest = t.Object({
  ...Requests,
  refusals: t.Array(integer({ minimum: 400, maximum: 599 }), { maxItems: 20 }),
  since: t.Number(),
});
export type RefusedRequest = Static<typeof RefusedRequest>;

/** With when each was refused first, in milliseconds since 1970. The last refused first. */
export const RefusedAnswer = t.Object({
  visitors: t.Array(t.Object({ ip: t.String(), at: t.Number() })),
});

/** Finds who from outside has been refused at a site since a time, and not let in again by the same proxy. */
export const REFUSED: BodyCall<typeof RefusedRequest, typeof RefusedAnswer> = {
  path: '/proxy/doors/refused',
  body: RefusedRequest,
  answer: RefusedAnswer,
  deadline: VISITS_MS,
  limit: ANSWER_BYTES,
  missing: OLDER,
};

export const LetInRequest = t.Object({
  ...Requests,
  ips: t.Array(t.String(), { minItems: 1, maxItems: MOST_NAMES }),
});

/** With when each was let in first and last, in milliseconds since 1970. */
export const LetInAnswer = t.Object({
  visitors: t.Array(t.Object({ ip: t.String(), first: t.Number(), last: t.Number() })),
});

/** Finds which addresses were let in to a site in the last 90 days. */
export const LET_IN: BodyCall<typeof LetInRequest, typeof LetInAnswer> = {
  path: '/proxy/doors/let-in',
  body: LetInRequest,
  answer: LetInAnswer,
  deadline: VISITS_MS,
  limit: ANSWER_BYTES,
  missing: OLDER,
};
