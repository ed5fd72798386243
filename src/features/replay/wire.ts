/** What a change would have done to requests that are in the log, and what hub and agent say about it. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { BodyCall, Call } from '../../shared/wire/call.ts';
import { Stored } from '../../shared/wire/protocol.ts';

/** How far back requests are taken from the log, in days, and how many distinct ones at most. */
export const REPLAY_DAYS = { least: 1, most: 30, usual: 7 } as const;
export const REPLAY_REQUESTS = { least: 100, most: 50_000, usual: 20_000 } as const;
/** How long a replay may take, in milliseconds. */
export const REPLAY_MS = 60_000;
/** Requests of a group that are shown. */
export const MOST_EXAMPLES = 5;

/**
 * Asks for a replay: `proxyfile` is what would be live, and is compared with what is. `hosts`: those of the
 * sites that the change concerns, each a name or a pattern such as `*.example.org`; null: all.
 */
export const ReplayRequest = t.Object({
  proxyfile: t.String(),
  hosts: t.Union([t.Array(t.String()), t.Null()]),
  days: integer({ minimum: REPLAY_DAYS.least, maximum: REPLAY_DAYS.most }),
  requests: integer({ minimum: REPLAY_REQUESTS.least, maximum: REPLAY_REQUESTS.most }),
  signedIn: t.Optional(t.Boolean()),
});
export type ReplayRequest = Static<typeof ReplayRequest>;

export const ReplayStarted = t.Object({ id: t.String() });

const Reply = t.Object(
  {
    status: t.Union([integer(), t.Null()], { description: 'null: there would be no response' }),
    to: t.Union([t.String(), t.Null()], {
      description:
        'the upstream that would answer; null: Caddy itself; several with a space between',
    }),
    location: t.Union([t.String(), t.Null()]),
    noSite: t.Optional(
      t.Literal(true, { description: 'no site has the host: the response is empty' }),
    ),
    path: t.Optional(t.String({ description: 'that the upstream would be asked for' })),
    user: t.Optional(
      t.String({
        description: 'the headers that a sign-in service adds, as the upstream gets them',
      }),
    ),
    authenticate: t.Optional(t.String({ description: '`WWW-Authenticate`' })),
    retryAfter: t.Optional(t.String({ description: '`Retry-After`' })),
    length: t.Optional(integer({ description: 'bytes of a file' })),
    type: t.Optional(t.String({ description: '`Content-Type` of a file' })),
  },
  {
    description:
      'the response, of the first example where those of a group differ; what is optional is left out unless it changes',
  },
);
export type Reply = Static<typeof Reply>;

export const ReplayGroup = t.Object({
  domain: t.String({
    description: 'the name of the site, maybe with `*`; `*`: one that answers to any; empty: none',
  }),
  requests: integer({ description: 'distinct ones' }),
  count: integer({ description: 'how often they came' }),
  visitors: integer({ description: 'distinct addresses' }),
  before: Reply,
  after: Reply,
  signedIn: t.Optional(
    t.Literal(true, { description: 'it is so only for visitors who are signed in' }),
  ),
  examples: t.Array(
    t.Object({
      method: t.String(),
      path: t.String({ description: 'without its query' }),
      ip: t.String(),
      timestamp: t.String({ description: 'of the newest' }),
    }),
    { maxItems: MOST_EXAMPLES },
  ),
});
export type ReplayGroup = Static<typeof ReplayGroup>;

/** How far a replay is, and what it has found so far. */
export const ReplayState = t.Object({
  state: t.Union([t.Literal('running'), t.Literal('done'), t.Literal('failed')]),
  done: integer({ description: 'distinct requests that were compared' }),
  of: integer({ description: 'distinct requests that will be; 0 while they are being chosen' }),
  same: integer(),
  differ: integer(),
  groups: t.Array(ReplayGroup, { description: 'what differs, the most serious first' }),
  leftOut: t.Array(
    t.Object({
      reason: t.String(),
      count: integer({ description: 'how often such requests came' }),
    }),
    { description: 'what was not compared, and why' },
  ),
  detail: t.Optional(t.String({ description: 'why it failed' })),
});
export type ReplayState = Static<typeof ReplayState>;

/**
 * Begins to compare what logged requests get with what they would get from a proxyfile.
 * @throws Failure RATE_LIMITED while another one runs, and as a publish
 */
export const START: BodyCall<typeof ReplayRequest, typeof ReplayStarted> = {
  path: '/proxy/replay',
  body: ReplayRequest,
  answer: ReplayStarted,
};

/** How far one is. @throws Failure NOT_FOUND if the agent no longer has it */
export const STATE: Call<typeof ReplayStarted, typeof ReplayState> = {
  path: '/proxy/replay',
  query: ReplayStarted,
  answer: ReplayState,
  deadline: 10_000,
  /** Paths and addresses are up to visitors. */
  limit: 8 * 1024 * 1024,
  missing: 'The agent no longer has this replay: it was restarted, or another replay began.',
};

/** Ends and forgets one, if the agent still has it. */
export const END: BodyCall<typeof ReplayStarted, typeof Stored> = {
  path: '/proxy/replay/end',
  body: ReplayStarted,
  answer: Stored,
  /** It ends by itself anyway: neither a person nor a hub that stops waits for it. */
  deadline: 2_000,
};
