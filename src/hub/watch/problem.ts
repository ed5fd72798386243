/** A problem: what is wrong right now, one for each cause. Also the words that all problems are made of. */
import { type Static, t } from 'elysia';
import type { EventName } from '../../shared/events.ts';
import { Timestamp } from '../http/schemas.ts';

/**
 * The code of each problem, with the event that it is once it has lasted: an incident that channels get
 * messages about. Those with null are only shown.
 */
const CODES = {
  AGENT_UNREACHABLE: 'agent.unreachable',
  PROXY_DOWN: 'proxy.down',
  VHOST_BROKEN: 'vhost.broken',
  PORT_HELD: 'vhost.broken',
  CERTIFICATE_EXPIRED: 'certificate.ending',
  CERTIFICATE_MISSING: 'certificate.failed',
  CERTIFICATE_ENDING: 'certificate.ending',
  UPSTREAM_DOWN: 'upstream.down',
  FOREIGN: null,
  NOT_IN_STEP: 'agent.behind',
  DRIFT: 'drift',
  RESTART_NEEDED: null,
  DISK_FULL: 'disk.full',
  SIGN_IN_LOCKED: 'sign-in.locked',
  CHANNEL_FAILING: null,
  ADVISORY: null,
  WARNING: null,
} as const satisfies Record<string, EventName | null>;

type Code = keyof typeof CODES;

/** Events only if they are bad: else a publish is under way, or someone chose another port. */
const ONLY_IF_BAD: readonly Code[] = ['NOT_IN_STEP', 'PORT_HELD'];

/** The event that a problem is once it has lasted; null: none. */
export const eventOf = ({ code, level }: Pick<Problem, 'code' | 'level'>): EventName | null =>
  level === 'warn' && ONLY_IF_BAD.includes(code) ? null : CODES[code];

/** As the status has it. */
export const ProblemView = t.Object(
  {
    code: t.UnionEnum(Object.keys(CODES) as [Code, ...Code[]]),
    level: t.UnionEnum(['bad', 'warn'], {
      description: '`bad`: it affects visitors or changes now',
    }),
    vhost: t.Optional(
      t.Object({ id: t.Integer(), domain: t.String() }, { description: 'if it affects only one' }),
    ),
    vhosts: t.Optional(
      t.Array(t.Object({ id: t.Integer(), domain: t.String() }), {
        description: 'if it affects several, such as an upstream that they share',
      }),
    ),
    since: Timestamp,
    agents: t.Optional(
      t.Array(t.String(), {
        description: 'whose proxies it is about; only if the hub has several agents',
      }),
    ),
    message: t.String({
      description: 'for people: the cause, and the fix if there is one',
    }),
  },
  { title: 'Problem' },
);
export type ProblemView = Static<typeof ProblemView>;

export type Problem = Pick<ProblemView, 'code' | 'level' | 'vhost' | 'message'> & {
  /** ISO 8601, if the fact itself says so; else since it was found first. */
  since?: string | null | undefined;
  /** Which of several things of an agent it is about, such as `ports`, rather than the vhost. */
  part?: string;
  /** What it comes from: with the same cause, that of several vhosts is one problem. */
  cause?: string;
  /** How long it has to last to be an incident, if that is not the usual time. */
  settles?: 'certificateSettles' | 'requestsSettle';
};

/** What a problem is about: its words may change, unless it has nothing else. */
export const keyOf = ({ code, vhost, message }: Problem): string =>
  `${code} ${SEVERAL.includes(code) ? message : (vhost?.id ?? '')}`;

const SEVERAL: readonly Code[] = ['WARNING', 'PORT_HELD', 'DISK_FULL'];

type Rank = Pick<ProblemView, 'level' | 'since'>;

/** Of two that are equally bad, the older one first. */
export const worstFirst = (a: Rank, b: Rank): number =>
  a.level === b.level ? compare(a.since, b.since) : compare(a.level, b.level);

/** `bad` comes before `warn`, and earlier times before later ones. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** How many names anyone reads; a site may have thousands of upstreams. */
const MOST_LISTED = 10;

/** `a`, `a and b`, `a, b and c`; each once, and of many the first. */
export function listed(names: readonly string[]): string {
  const found = [...new Set(names)];
  const more = found.length - MOST_LISTED;
  const all = more > 0 ? [...found.slice(0, MOST_LISTED), `${more} more`] : found;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '');
}

/** A text as a sentence. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What an agent says; `label` as `labelOf` has it. */
type Said = { label: string | undefined; message: string };

/** `local and vps: 127.0.0.1:8000 does not answer`: each sentence once, with the agents that say so. */
export const saying = (all: readonly Said[]): string[] =>
  [...Map.groupBy(all, ({ message }) => message)].map(([message, who]) =>
    said(
      who.map(({ label }) => label),
      message,
    ),
  );

/** A sentence with the agents that it is about; the only one has no label, and needs none. */
export function said(labels: readonly (string | undefined)[], message: string): string {
  const names = labels.flatMap((label) => label ?? []);
  return names.length === 0 ? message : `${listed(names)}: ${message}`;
}
