/** What hub and agent send each other: the schemas that both sides check. */
import { type Static, t } from 'elysia';
import { LOG_FILTERS } from './patterns.ts';

/**
 * The version of what both send each other, which a hub says in this header. Raise it with each change
 * after which a hub or an agent of the release before would do something else than it is asked.
 */
export const PROTOCOL = 1;
export const PROTOCOL_HEADER = 'X-Signalbox-Protocol';

/** An error body; the proxy's words in it have no paths of the host. */
export const ErrorBody = t.Object(
  {
    code: t.String({ examples: ['INVALID_REQUEST'] }),
    message: t.String({ description: 'one sentence for a person' }),
    detail: t.Optional(t.String({ description: 'more details, usually in the proxy’s words' })),
    hint: t.Optional(t.String({ description: 'one sentence on how to fix it, if known' })),
    line: t.Optional(t.Integer({ description: 'the line of the submitted text that is at fault' })),
    field: t.Optional(
      t.String({ description: 'the field at fault, for example `operations.0.domain`' }),
    ),
    policy: t.Optional(
      t.Object(
        { name: t.String(), field: t.Optional(t.String()) },
        { description: 'the policy whose text is at fault, and the field at fault' },
      ),
    ),
    agent: t.Optional(
      t.String({
        description: 'of several agents: the one whose proxy does not accept the change',
      }),
    ),
    changes: t.Optional(
      t.Array(t.Integer(), { description: 'changelog entries that prevent an undo' }),
    ),
  },
  { title: 'Error' },
);

/** The agent's: `words` is the detail without the line, whose number the hub translates. */
export const AgentErrorBody = t.Composite([ErrorBody, t.Object({ words: t.Optional(t.String()) })]);
export type AgentErrorBody = Static<typeof AgentErrorBody>;

/** The id of a hub's database. */
export const HubId = t.String({ pattern: '^[0-9a-f]{32}$' });

/** How often that database was promoted on another machine, plus one. */
export const Term = t.Integer({ minimum: 1, maximum: 1_000_000 });

/**
 * `hub` is who asks: unless it may `replace` it, what is for another hub is not replaced, and the
 * answer is 409 OTHER_HUB; so it is if its `term` is lower than one that the agent knows of the same hub.
 * With `keep`, the Caddyfile that is replaced is copied, whatever it is; without `replace`, the agent
 * also warns of the sites that go.
 * `expects` is the digest of the live config that this one replaces; if another one is live, the
 * answer is 409 STALE. `probe` is what to validate instead of the whole text: the same text with
 * lines left empty that need no validation, so that line numbers agree. It may be longer. `deadline` is
 * how many milliseconds the caller waits: after that, the text does not become live. With `partial`,
 * listeners that cannot be opened are left out until they can, instead of refused.
 */
export const ReloadRequest = t.Object({
  proxyfile: t.String(),
  hub: t.Optional(HubId),
  term: t.Optional(Term),
  replace: t.Optional(t.Boolean()),
  keep: t.Optional(t.Boolean()),
  expects: t.Optional(t.String()),
  probe: t.Optional(t.String()),
  deadline: t.Optional(t.Integer({ minimum: 0 })),
  partial: t.Optional(t.Boolean()),
});
export type ReloadRequest = Static<typeof ReloadRequest>;

/** Digests are lower-case hex SHA-256 of a proxyfile's UTF-8 bytes. */
export const ReloadAnswer = t.Object({
  success: t.Literal(true),
  digest: t.String(),
});
export type ReloadAnswer = Static<typeof ReloadAnswer>;

/**
 * Asks whether the proxy would accept a text, which is neither loaded nor kept. With `ports` false,
 * its ports may be in use by other programs. With a `probe`, only that is validated, and a reload of both
 * that follows does not check them again.
 */
export const ValidateRequest = t.Object({
  proxyfile: t.String(),
  ports: t.Optional(t.Boolean()),
  probe: t.Optional(t.String()),
});
export const ValidateAnswer = t.Object({ success: t.Literal(true) });

export const AdaptRequest = t.Object({ proxyfile: t.String() });
/** A text as the proxy understands it, for the hub to compare; never shown to people. */
export const AdaptAnswer = t.Object({ config: t.Unknown() });

/** `hub` is who asks, in which `term`; without it, in the first. */
export const StatusQuery = t.Object({ hub: t.Optional(HubId), term: t.Optional(Term) });

export const Disk = t.Object({
  id: t.String({
    description: 'the same for all programs of a machine, until it is started again',
  }),
  holds: t.Array(t.String(), { description: 'for a person', examples: [['the access log']] }),
  free: t.Number({ description: 'the share of it that is free, from 0 to 1' }),
});
export type Disk = Static<typeof Disk>;

export const ProxyStatus = t.Object({
  liveDigest: t.Union([t.String(), t.Null()], {
    description: 'the proxyfile that is live; null if the agent did not load it',
  }),
  fileDigest: t.Union([t.String(), t.Null()], {
    description: 'the proxyfile on disk; null if there is none',
  }),
  foreign: t.Boolean({
    description: 'the proxy serves sites that the agent did not load, or not for the hub that asks',
  }),
  owner: t.Union([t.String(), t.Null()], {
    description: 'the hub whose proxyfile is live, or was last; null if unknown',
  }),
  term: t.Optional(
    t.Integer({ description: 'the highest term that the agent knows of the hub that asks' }),
  ),
  drift: t.Boolean({
    description:
      'the agent loaded the live configuration, but another program changed the proxyfile on disk',
  }),
  checked: t.Optional(
    t.Boolean({
      description:
        'the proxyfile on disk was checked for the program that runs: false after an upgrade of Caddy, or of the agent to a version that knows more of Caddy',
    }),
  ),
  proxy: t.Object({
    running: t.Boolean(),
    version: t.Union([t.String(), t.Null()]),
  }),
  restartNeeded: t.Boolean(),
  now: t.Optional(t.String({ description: 'what time it is for the agent, to a hub that asks' })),
  warnings: t.Array(t.String(), { description: 'warnings for the operator' }),
  closed: t.Optional(
    t.Array(t.Object({ address: t.String(), port: t.Integer(), reason: t.String() }), {
      description: 'listeners that the live configuration does without until they can be opened',
    }),
  ),
  disks: t.Optional(t.Array(Disk, { description: 'those that it writes to, to a hub that asks' })),
});
export type ProxyStatus = Static<typeof ProxyStatus>;

/** The filters of a log, as they are in a URL. */
export const conditions = {
  domain: t.Optional(t.String(LOG_FILTERS.domain)),
  status: t.Optional(
    t.String({ ...LOG_FILTERS.status, description: 'a status, or `1xx` to `5xx`' }),
  ),
  method: t.Optional(t.String({ ...LOG_FILTERS.method, description: 'upper or lower case' })),
  path: t.Optional(t.String({ ...LOG_FILTERS.path, description: 'the start of the path' })),
  q: t.Optional(t.String({ ...LOG_FILTERS.q, description: 'any part of the path' })),
  ip: t.Optional(t.String(LOG_FILTERS.ip)),
  from: t.Optional(t.String(LOG_FILTERS.from)),
  to: t.Optional(t.String(LOG_FILTERS.to)),
};

/**
 * The log filters in a URL; an empty value counts as missing. Status 0–999, page from 1, pageSize
 * 1–500; `from` is inclusive, `to` exclusive.
 */
export const LogQuery = t.Object({
  ...conditions,
  page: t.Optional(t.String({ pattern: '^([1-9][0-9]{0,14})?$' })),
  pageSize: t.Optional(t.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)?$' })),
  details: t.Optional(t.String({ pattern: '^(true)?$' })),
});
export type LogQuery = Static<typeof LogQuery>;

/** `after`: the id of the last event received; the header Last-Event-ID takes precedence. */
export const TailQuery = t.Object({
  ...conditions,
  after: t.Optional(t.String({ pattern: '^([0-9a-f]{16}-[0-9]{1,15})?$' })),
});
export type TailQuery = Static<typeof TailQuery>;

export const LogEntry = t.Object(
  {
    timestamp: t.String({ description: 'ISO 8601 UTC with milliseconds' }),
    domain: t.String(),
    method: t.String(),
    path: t.String(),
    status: t.Integer(),
    latency: t.String({
      description: 'milliseconds with at most 3 decimals',
      examples: ['1.234ms'],
    }),
    ip: t.String(),
    agent: t.Optional(t.String({ description: 'with several agents: the one whose log has it' })),
    details: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          'only with `details`: everything that the proxy wrote about the request, without cookies and credentials',
      }),
    ),
    error: t.Optional(
      t.String({ description: 'with the details: the error, in the proxy’s words' }),
    ),
  },
  { title: 'LogEntry' },
);
export type LogEntry = Static<typeof LogEntry>;

/** In the answers of several agents. */
const Missing = t.Optional(t.Array(t.String(), { description: 'the unreachable agents, if any' }));

export const LogPage = t.Object(
  {
    logs: t.Array(LogEntry),
    total: t.Integer(),
    page: t.Integer(),
    pageSize: t.Integer(),
    partial: t.Optional(
      t.Literal(true, {
        description: 'not all of the log was read: there may be more, older entries',
      }),
    ),
    missing: Missing,
  },
  { title: 'LogPage' },
);
export type LogPage = Static<typeof LogPage>;

/** As for a page, but without pages: all matches, oldest first. */
export const ExportQuery = t.Object({
  ...conditions,
  format: t.Optional(
    t.String({
      pattern: '^(ndjson|csv)?$',
      description:
        '`ndjson`, the default: a LogEntry with its details in each line; `csv`: a table with a line of names',
    }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;

/** `from` is inclusive, `to` exclusive; without them, the whole log. */
export const StatsQuery = t.Object({
  domain: conditions.domain,
  from: conditions.from,
  to: conditions.to,
  buckets: t.Optional(t.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)?$' })),
});
export type StatsQuery = Static<typeof StatsQuery>;

export const Latency = t.Union([t.Number(), t.Null()], {
  description: 'milliseconds, accurate to 6.25 %',
});
const Requests = t.Integer();
export const PerClass = t.Object({
  '1xx': Requests,
  '2xx': Requests,
  '3xx': Requests,
  '4xx': Requests,
  '5xx': Requests,
  other: Requests,
});

/** Figures over time; entries without a time are not counted. */
export const LogStats = t.Object(
  {
    from: t.Union([t.String(), t.Null()], {
      description: 'ISO 8601; null if there are no entries',
    }),
    to: t.Union([t.String(), t.Null()]),
    requests: t.Integer(),
    buckets: t.Array(
      t.Object({
        from: t.String(),
        to: t.String(),
        requests: PerClass,
        p50: Latency,
        p95: Latency,
      }),
    ),
    domains: t.Array(t.Object({ domain: t.String(), requests: Requests }), {
      description: 'the ten with the most requests; only the first 16,384 domains are counted',
    }),
    statuses: t.Array(t.Object({ status: t.Integer(), requests: Requests })),
    latest: t.Object(
      {
        requests: Requests,
        paths: t.Array(t.Object({ path: t.String(), requests: Requests })),
        ips: t.Array(t.Object({ ip: t.String(), requests: Requests })),
        partial: t.Optional(t.Literal(true)),
      },
      { description: 'of the newest requests in the range; partial if there are more' },
    ),
    partial: t.Optional(t.Literal(true, { description: 'not all of the log was read' })),
    missing: Missing,
  },
  { title: 'LogStats' },
);
export type LogStats = Static<typeof LogStats>;

/** As for the stats, but always of all domains. */
export const ActivityQuery = t.Object({
  from: conditions.from,
  to: conditions.to,
  buckets: t.Optional(t.String({ pattern: '^([1-9]|[1-5][0-9]|60)?$' })),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

const PerBucket = t.Array(Requests, { description: 'one number per bucket' });
/** Requests over time, in buckets of equal length, oldest first. */
export const Activity = t.Object({
  requests: PerBucket,
  status4xx: PerBucket,
  status5xx: PerBucket,
});

/** Pairs of milliseconds, accurate to 6.25 %, and the number of requests that took as long; ascending. */
export const Latencies = t.Array(t.Tuple([t.Number(), Requests]));
export type Latencies = Static<typeof Latencies>;

/** The requests of each domain that had any; entries without a time are not counted. */
export const LogActivity = t.Object({
  from: t.Union([t.String(), t.Null()]),
  to: t.Union([t.String(), t.Null()]),
  buckets: t.Integer(),
  domains: t.Record(t.String(), t.Composite([Activity, t.Object({ latencies: Latencies })])),
  partial: t.Optional(t.Literal(true, { description: 'not all of the log was read' })),
  missing: Missing,
});
export type LogActivity = Static<typeof LogActivity>;

export const Health = t.Object({ status: t.Literal('ok') }, { title: 'Health' });
