/**
 * When incidents begin and are over: one step per look. Pure, so that every sequence can be tried.
 * Each incident begins once and is over once. One that begins for the third time within ten minutes
 * flaps: its comings and goings are one incident, until it has been away, or has stayed, for ten.
 */
import { incidentKey } from '../problem.ts';
import type { Incident, WatchPace } from './reports.ts';

/** Times are milliseconds of a clock that is never set. */
type Pending = Readonly<{ phase: 'pending'; incident: Incident; since: number }>;
type Open = Readonly<{
  phase: 'open';
  /** As it is recorded. */
  incident: Incident;
  flapping: boolean;
  /** Since when it has been there without a break; null while it is not, or if that is not known. */
  seenSince: number | null;
  goneSince: number | null;
}>;

export type Watched = Readonly<{
  /** By `incidentKey`. */
  states: ReadonlyMap<string, Pending | Open>;
  /** When each began lately. */
  beginnings: ReadonlyMap<string, readonly number[]>;
}>;

/**
 * `stayed`: it flapped, and now it is simply there. `left` and `returned` are the goings and comings of
 * one that flaps, which are not reported; `changed`: it has other words; `dropped`: it is over, as there
 * is nothing left that it could be about.
 */
export type ActKind =
  | 'began'
  | 'flapping'
  | 'stayed'
  | 'over'
  | 'dropped'
  | 'left'
  | 'returned'
  | 'changed';

/** `ago`: how many milliseconds before this look it happened; `since`: when it began, if that was earlier. */
export type Act = Readonly<{ kind: ActKind; incident: Incident; ago: number; since?: Date }>;

type Step = Readonly<{
  /** Milliseconds of a clock that is never set. */
  elapsed: number;
  /** What is there now, by `incidentKey`. */
  incidents: ReadonlyMap<string, Incident>;
  /** Whether there is nothing left that it could be about. */
  isMoot: (incident: Incident) => boolean;
  pace: WatchPace;
}>;

const FLAPPING_COUNT = 3;

const hasLasted = (since: number, { elapsed, pace }: Step, milliseconds: number): boolean =>
  elapsed - since >= milliseconds - pace.tolerance;

export function takeStep(before: Watched, step: Step): { after: Watched; acts: Act[] } {
  const states = new Map<string, Pending | Open>();
  const beginnings = new Map(before.beginnings);
  const acts: Act[] = [];
  for (const key of new Set([...before.states.keys(), ...step.incidents.keys()])) {
    const known = before.states.get(key);
    const seen = step.incidents.get(key);
    const recent = (beginnings.get(key) ?? []).filter(isRecent(step));
    const result =
      known?.phase === 'open'
        ? seen
          ? stays(known, seen, step)
          : goes(known, step)
        : seen
          ? comes(known, seen, step, recent.length)
          : { acts: [] };
    acts.push(...result.acts);
    if (result.state) states.set(key, result.state);
    if (result.acts.some(({ kind }) => kind === 'began' || kind === 'flapping')) {
      beginnings.set(key, [...recent, step.elapsed]);
    }
  }
  return { after: { states, beginnings: withoutOld(beginnings, step) }, acts };
}

type Result = { state?: Pending | Open; acts: Act[] };

function comes(known: Pending | undefined, incident: Incident, step: Step, count: number): Result {
  const { elapsed } = step;
  const since = known?.since ?? elapsed;
  if (!hasLasted(since, step, incident.settles)) {
    return { state: { phase: 'pending', incident, since }, acts: [] };
  }
  const flapping = count + 1 >= FLAPPING_COUNT;
  const kind = flapping ? 'flapping' : 'began';
  return {
    state: { phase: 'open', incident, flapping, seenSince: since, goneSince: null },
    acts: [{ kind, incident, ago: elapsed - since }],
  };
}

function stays(known: Open, incident: Incident, step: Step): Result {
  const { elapsed } = step;
  const acts: Act[] = [];
  const seenSince = known.seenSince ?? elapsed;
  if (known.flapping && known.goneSince !== null) acts.push({ kind: 'returned', incident, ago: 0 });
  const hasStayed = known.flapping && hasLasted(seenSince, step, step.pace.flapping);
  if (hasStayed) acts.push({ kind: 'stayed', incident, ago: elapsed - seenSince });
  const { about, level, message, problem } = known.incident;
  const isSame =
    incident.about === about &&
    incident.level === level &&
    incident.message === message &&
    incident.problem === problem;
  if (!isSame) {
    acts.push({ kind: 'changed', incident, ago: 0 });
  }
  const flapping = known.flapping && !hasStayed;
  return { state: { phase: 'open', incident, flapping, seenSince, goneSince: null }, acts };
}

function goes(known: Open, step: Step): Result {
  const { elapsed, isMoot, pace } = step;
  const { incident, flapping } = known;
  const goneSince = known.goneSince ?? elapsed;
  const needed = flapping ? pace.flapping : pace.settles;
  if (isMoot(incident)) return { acts: [{ kind: 'dropped', incident, ago: elapsed - goneSince }] };
  if (hasLasted(goneSince, step, needed)) {
    return { acts: [{ kind: 'over', incident, ago: elapsed - goneSince }] };
  }
  const hasLeft = flapping && known.goneSince === null;
  return {
    state: { ...known, seenSince: null, goneSince },
    acts: hasLeft ? [{ kind: 'left', incident, ago: 0 }] : [],
  };
}

const isRecent =
  ({ elapsed, pace }: Step) =>
  (at: number): boolean =>
    elapsed - at < pace.flapping;

const withoutOld = (beginnings: Watched['beginnings'], step: Step): Watched['beginnings'] =>
  new Map([...beginnings].filter(([, times]) => times.some(isRecent(step))));

/** An incident that was open when the hub was started. @param goneSince if it flaps, since when it is away */
export const reopened = (
  incident: Incident,
  flapping: boolean,
  goneSince: number | null,
): [string, Open] => [
  incidentKey(incident),
  { phase: 'open', incident, flapping, seenSince: null, goneSince },
];
