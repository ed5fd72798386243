/** A problem: what is wrong right now, one for each cause. Also the words that all problems are made of. */
import { type Static, t } from 'elysia';
import {
  FEATURE_PROBLEMS,
  type FeatureProblem,
  type ProblemWords,
  wordsOfProblem,
} from '../../features/problems.ts';
import type { EventName } from '../../shared/events.ts';
import { integer } from '../../shared/integer.ts';
import { CureView, Timestamp } from '../http/schemas.ts';

/**
 * The code of each problem, the gravest first, by what it is about: of two that are equally bad, that counts before their age.
 * With the event that it is once it has lasted: an incident that channels get messages about. Those with
 * null are only shown.
 */
const CORE = {
  proxies: {
    PROXY_DOWN: 'proxy.down',
    AGENT_UNREACHABLE: 'agent.unreachable',
    PORT_HELD: 'vhost.broken',
  },
  // Without room, the database takes none.
  changes: {
    DISK_FULL: 'disk.full',
    NOT_IN_STEP: 'agent.behind',
    PROGRAM_RETURNED: 'program.returned',
    FOREIGN: null,
    SECRET_KEY_UNUSABLE: null,
  },
  sites: {
    VHOST_BROKEN: 'vhost.broken',
    UPSTREAM_DOWN: 'upstream.down',
    CHECK_FAILING: 'check.failing',
    CERTIFICATE_EXPIRED: 'certificate.ending',
    CERTIFICATE_MISSING: 'certificate.failed',
    CERTIFICATE_ENDING: 'certificate.ending',
  },
  // What visitors do not notice.
  others: {
    DRIFT: 'drift',
    RESTART_NEEDED: null,
    SIGN_IN_LOCKED: 'sign-in.locked',
    WARNING: null,
    ADVISORY: null,
  },
} as const satisfies Record<string, Record<string, EventName | null>>;

type Group = keyof typeof CORE;
type CoreCode = { [Of in Group]: keyof (typeof CORE)[Of] }[Group];
type Code = CoreCode | FeatureProblem;

/** Those of a group: the core's, each with those of features that follow it, then all others of features. */
function codesOf(group: Group): [string, EventName | null][] {
  const all = Object.entries<ProblemWords>(FEATURE_PROBLEMS);
  const behind = (core?: string) =>
    all
      .filter(([, { of, follows }]) => of === group && follows === core)
      .map(([code, { event }]): [string, EventName | null] => [code, event]);
  const core = Object.entries(CORE[group]).flatMap((one) => [one, ...behind(one[0])]);
  return [...core, ...behind()];
}

const CODES = Object.fromEntries(
  Object.keys(CORE).flatMap((group) => codesOf(group as Group)),
) as Readonly<Record<Code, EventName | null>>;

/** Events only if they are bad: else a publish is under way, or someone chose another port. */
const ONLY_IF_BAD: readonly Code[] = ['NOT_IN_STEP', 'PORT_HELD'];

/** The event that a problem is once it has lasted; null: none. */
export const eventOf = ({ code, level }: Pick<Problem, 'code' | 'level'>): EventName | null =>
  level !== 'bad' && ONLY_IF_BAD.includes(code) ? null : CODES[code];

export const KnownView = t.Object(
  {
    until: t.Union([Timestamp, t.Null()], { description: 'null: until it is over' }),
    by: t.String({ description: 'who said so' }),
  },
  {
    description:
      'only if someone said that they know of it: it is announced to no channel, and counted nowhere',
  },
);

/** The gravest first. */
const LEVELS: ['bad', 'warn', 'notice'] = ['bad', 'warn', 'notice'];

/** Those that are counted: nobody knows of them yet, and they cannot wait. */
export const countedIn = <T extends { level: string; known?: unknown }>(all: readonly T[]): T[] =>
  all.filter(({ level, known }) => known === undefined && level !== 'notice');

/** As the status has it. */
export const ProblemView = t.Object(
  {
    key: t.String({
      description: 'the same for the same problem as long as it is there, whatever its words',
    }),
    code: t.UnionEnum(Object.keys(CODES) as [Code, ...Code[]]),
    level: t.UnionEnum(LEVELS, {
      description:
        '`bad`: it affects visitors or changes now; `notice`: it can wait, and is counted nowhere',
    }),
    vhost: t.Optional(
      t.Object({ id: integer(), domain: t.String() }, { description: 'if it affects only one' }),
    ),
    vhosts: t.Optional(
      t.Array(t.Object({ id: integer(), domain: t.String() }), {
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
    known: t.Optional(KnownView),
    cause: t.Optional(
      t.String({
        description: 'of the explanation that was made when it began, if that found one',
      }),
    ),
    cure: t.Optional(CureView),
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
  settles?: 'certificateSettles' | 'requestsSettle' | 'checkSettles';
};

/** What an incident is known by: `vhost 3`, `agent 1` or `hub`, the latter two with more if need be. */
export type Subject = Readonly<{ event: EventName; subject: string }>;

export const incidentKey = ({ event, subject }: Subject): string => `${event} ${subject}`;

/** The place of an agent's problems; those of the hub itself have `HUB_PLACE`. */
export const placeOf = (agent: number): string => `agent ${agent}`;
export const HUB_PLACE = 'hub';

/** The incident that a problem is, if it lasts; null if it is none. @param place where it was found */
export function subjectOf(problem: Problem, place: string): Subject | null {
  const event = eventOf(problem);
  if (event === null) return null;
  const { vhost, part } = problem;
  if (part !== undefined) return { event, subject: `${place} ${part}` };
  return { event, subject: vhost ? `vhost ${vhost.id}` : place };
}

/**
 * What a person knows of who knows of a problem, wherever it is found: a dead upstream whichever sites need it,
 * what is wrong with a site on whichever proxy.
 */
export function markOf(problem: Problem, place: string): string {
  const { code, cause, part, vhost, message } = problem;
  // Who knows that one site fails may not know of another that fails alike.
  if (code === 'CHECK_FAILING') return `${code} ${place} vhost ${vhost?.id}`;
  // The same loopback address is another program on another machine.
  if (cause !== undefined) return `${code} ${LOOPBACK.test(cause) ? `${place} ` : ''}${cause}`;
  if (part !== undefined) return `${code} ${place} ${part}`;
  if (vhost) return `${code} vhost ${vhost.id}`;
  return code === 'WARNING' ? `${code} ${place} ${message}` : `${code} ${place}`;
}

/** What a mark of `markOf` is about: a vhost, with the incident that it may be, or upstreams, if of one place only with that. */
export function aboutOf(mark: string): {
  vhost?: number;
  incident?: Subject;
  upstreams?: { place: string | undefined; addresses: string[] };
} {
  const [, code, id] = /^(\w+) (?:agent \d+ )?vhost (\d+)$/.exec(mark) ?? [];
  if (id !== undefined) {
    const event = CODES[code as Code];
    const vhost = Number(id);
    return { vhost, ...(event && { incident: { event, subject: `vhost ${vhost}` } }) };
  }
  const [, place, addresses] = /^UPSTREAM_DOWN (?:(agent \d+) )?(.+)$/.exec(mark) ?? [];
  return addresses === undefined ? {} : { upstreams: { place, addresses: addresses.split(' ') } };
}

const LOOPBACK = /^(?:127\.|localhost\b|\[::1\])/;

/** What a problem is about: its words may change, unless it has nothing else. */
export const keyOf = ({ code, vhost, message }: Problem): string =>
  `${code} ${isSeveral(code) ? message : (vhost?.id ?? '')}`;

const SEVERAL: readonly Code[] = ['WARNING', 'PORT_HELD', 'DISK_FULL'];
const isSeveral = (code: Code): boolean =>
  SEVERAL.includes(code) || wordsOfProblem(code)?.isSeveral === true;

/** What each agent has on its own, since its own time, even if several have it. */
export const isOwn = ({ code }: Pick<Problem, 'code'>): boolean =>
  code === 'PROXY_DOWN' || code === 'AGENT_UNREACHABLE';

type Rank = Pick<ProblemView, 'code' | 'level' | 'since' | 'known'>;

const WEIGHTS = Object.keys(CODES);

/**
 * What affects visitors or changes first, then by kind, and of the same kind the older one first; what is
 * known comes last.
 */
export const worstFirst = (a: Rank, b: Rank): number =>
  Number(a.known !== undefined) - Number(b.known !== undefined) ||
  LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
  WEIGHTS.indexOf(a.code) - WEIGHTS.indexOf(b.code) ||
  compare(a.since, b.since);

/** Earlier times before later ones. */
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
