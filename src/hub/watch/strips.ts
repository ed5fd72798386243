/**
 * How each site was in the last day or month, in sixty bars: what visitors got by the access log, what its check got,
 * and when it was changed.
 */
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { LogActivity } from '../../shared/wire/logs.ts';
import type { Agents } from '../agents/agents.ts';
import type { Db } from '../db/open.ts';
import { setFor } from '../model/applied.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Publisher } from '../publish/publisher.ts';
import { type AgentsActivity, vhostsByHost } from './activity.ts';
import type { CheckedHour, Checks } from './checks.ts';
import { type Presence, readPresence } from './presence.ts';

export const BARS = 60;
const HOUR_MS = 3_600_000;

/** How long a bar is, and at multiples of what the last one ends: bars of half days have whole hours. */
const SPANS = {
  day: { bar: (24 * HOUR_MS) / BARS, step: (24 * HOUR_MS) / BARS },
  month: { bar: 12 * HOUR_MS, step: HOUR_MS },
};
export type Span = keyof typeof SPANS;

/** What is wrong shows from one of so many on. */
const WRONG_OF = 20;

/** `bars`: a letter each, oldest first; `changes`: the numbers of the bars with a change. */
type Strip = { id: number; bars: string; changes: number[] };
export type Strips = { span: Span; from: string; to: string; bars: number; strips: Strip[] };

/** Milliseconds since 1970. */
type Range = { from: number; to: number; bar: number };

type StripsDeps = {
  publisher: Pick<Publisher, 'current'> & { agents: Pick<Agents, 'all'> };
  activity: AgentsActivity;
  checks: Pick<Checks, 'hours'>;
  db: Db;
  now: () => Date;
  /** Milliseconds for which everybody who asks shares an answer, unless sites change. */
  kept: number;
};

/**
 * @returns those of all sites. An agent that does not answer makes bars unknown, and is no failure.
 * @throws SQLite errors
 */
export function createStrips(deps: StripsDeps): (span: Span) => Promise<Strips> {
  const { publisher, now, kept } = deps;
  const counts = new Map<Span, { until: number; range: Range; counted: Promise<Counted> }>();
  const answers = new Map<Span, { of: object; set: SiteSet; strips: Promise<Strips> }>();

  function count(span: Span) {
    const time = now().getTime();
    const known = counts.get(span);
    if (known && known.until > time) return known;
    const range = rangeOf(span, time);
    const made = { until: time + kept, range, counted: countedIn(deps, range) };
    made.counted.catch(() => counts.delete(span));
    counts.set(span, made);
    return made;
  }

  return async (span) => {
    const of = count(span);
    const counted = await of.counted;
    const set = publisher.current();
    const last = answers.get(span);
    if (last?.of === of && last.set === set) return last.strips;
    const strips = stripsOf(deps, span, of.range, counted, set);
    answers.set(span, { of, set, strips });
    strips.catch(() => answers.delete(span));
    return strips;
  };
}

function rangeOf(span: Span, time: number): Range {
  const { bar, step } = SPANS[span];
  const to = (Math.floor(time / step) + 1) * step;
  return { from: to - BARS * bar, to, bar };
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** Null: no agent answered. */
type Counted = LogActivity | null;

const countedIn = ({ activity }: StripsDeps, { from, to }: Range): Promise<Counted> =>
  activity
    .activity({ from: isoOf(from), to: isoOf(to), buckets: String(BARS) })
    .catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'AGENT_UNREACHABLE') return null;
      throw error;
    });

/** Others have turns meanwhile: of a thousand sites with checks, a month takes a second. */
async function stripsOf(
  { publisher, checks, db }: StripsDeps,
  span: Span,
  range: Range,
  counted: Counted,
  set: SiteSet,
): Promise<Strips> {
  const { from, to, bar } = range;
  const presenceIn = readPresence(db, from);
  const requests = requestsIn(counted, set);
  const missing = publisher.agents
    .all()
    .filter(({ name }) => counted === null || counted.missing?.includes(name));
  const unheard = new Set(missing.flatMap(({ id }) => setFor(set, id).vhosts));
  // Before it, and if not all of it was read, there may have been requests that nobody counts.
  const since = counted?.partial ? Infinity : Date.parse(counted?.since ?? '');

  function stripOf(site: Vhost): Strip {
    const presence = presenceIn(site);
    const visited = requests.get(site.id);
    const checked = checkedIn(checks.hours(site.id, (to - from) / HOUR_MS + 1), range);
    const bars = Array.from({ length: BARS }, (_, at) => {
      const begin = from + at * bar;
      if (!presence.wasOn(begin, begin + bar)) return 'o';
      const isHeard = !unheard.has(site) && begin >= since;
      return letterOf([visited?.[at] ?? NONE, checked(begin)], isHeard);
    });
    return { id: site.id, bars: bars.join(''), changes: changesIn(presence, range) };
  }

  const strips: Strip[] = [];
  const pause = createPauses();
  for (const site of set.vhosts) {
    strips.push(stripOf(site));
    await pause();
  }
  return { span, from: isoOf(from), to: isoOf(to), bars: BARS, strips };
}

/** How often a site was asked, by visitors or by its check, and how often that went wrong. */
type Asked = { asked: number; failed: number };
const NONE: Asked = { asked: 0, failed: 0 };

/** @param isHeard whether all requests of visitors are known */
function letterOf(all: readonly Asked[], isHeard: boolean): string {
  if (all.some(({ asked, failed }) => failed > 0 && failed * WRONG_OF >= asked)) return 'f';
  if (all.some(({ asked }) => asked > 0)) return 'u';
  return isHeard ? 'n' : '?';
}

/** By the id of the site, then by bar: its requests, and those answered by a 5xx. */
function requestsIn(counted: Counted, set: SiteSet): ReadonlyMap<number, readonly Asked[]> {
  const found = new Map<number, Asked[]>();
  const vhostsOf = vhostsByHost(set);
  for (const [host, { requests, status5xx }] of Object.entries(counted?.domains ?? {})) {
    for (const id of vhostsOf(host)) {
      const known = found.get(id);
      found.set(
        id,
        requests.map((count, at) => ({
          asked: count + (known?.[at]?.asked ?? 0),
          failed: (status5xx[at] ?? 0) + (known?.[at]?.failed ?? 0),
        })),
      );
    }
  }
  return found;
}

/** @returns what its check got in the bar with a begin: its hours, or the hour in which most of a shorter one is */
function checkedIn(hours: readonly CheckedHour[], { bar }: Range): (begin: number) => Asked {
  const byHour = new Map(hours.map((one) => [one.hour, one]));
  return (begin) => {
    const sum = { ...NONE };
    const first = Math.floor((begin + Math.min(bar, HOUR_MS) / 2) / HOUR_MS);
    for (let hour = first; hour < first + Math.max(1, bar / HOUR_MS); hour++) {
      const { asked, failed } = byHour.get(hour) ?? NONE;
      sum.asked += asked;
      sum.failed += failed;
    }
    return sum;
  };
}

const changesIn = ({ changes }: Presence, { from, to, bar }: Range): number[] => [
  ...new Set(changes.flatMap((at) => (at >= from && at < to ? Math.floor((at - from) / bar) : []))),
];
