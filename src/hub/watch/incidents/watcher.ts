/**
 * Watches for what breaks on its own: looks every five seconds at the facts that the status has too,
 * and records when an incident begins and is over.
 */
import type { Clock } from '../../../shared/clock.ts';
import { every } from '../../../shared/every.ts';
import type { Log } from '../../../shared/log.ts';
import { reasonOf } from '../../../shared/log.ts';
import type { KnownProblems } from '../known.ts';
import type { Look } from '../look.ts';
import { incidentKey, type Subject, saying } from '../problem.ts';
import type { Listed, ListProblems } from '../problem-list.ts';
import type { Incidents } from './incidents.ts';
import {
  agentIdOf,
  HUB,
  type Incident,
  type Report,
  reportsOf,
  vhostIdOf,
  type WatchPace,
} from './reports.ts';
import { type Act, takeStep, type Watched } from './step.ts';

export type WatcherDeps = Clock & {
  look: () => Promise<Look>;
  /** Called after each look, so that all who list problems know since when each is there. */
  listProblems: ListProblems;
  incidents: Pick<Incidents, 'load' | 'record' | 'tell'>;
  known: Pick<KnownProblems, 'end'>;
  /** Called when something was recorded. */
  recorded: () => void;
  pace: WatchPace & { every: number };
  log: Log;
};

export type Watcher = {
  /** Looks once. Never fails. */
  look(): Promise<void>;
  /** Looks now and from then on every five seconds. */
  begin(): void;
  /** Records nothing more. */
  end(): void;
};

export function createWatcher(deps: WatcherDeps): Watcher {
  const { incidents, recorded, pace, now, elapsed, log } = deps;
  let watched: Watched | null = null;
  let memory: Memory | null = null;
  let lastFault = '';
  let isEnded = false;
  let from = 0;

  function judge(look: Look): void {
    const reports = reportsOf(look, pace);
    const [time, at] = [elapsed(), now()];
    const listed = deps.listProblems(look, at);
    watched ??= incidents.load(at, time);
    memory ??= rememberOpen(openIn(watched), reports);
    memory = remember(memory, reports);
    const { after, acts } = takeStep(watched, {
      elapsed: time,
      incidents: incidentsIn(memory),
      isMoot: (incident) => isMoot(incident, reports),
      pace,
    });
    if (acts.length > 0) {
      incidents.record(acts.map(sinceListed(listed)), at);
      recorded();
    }
    const present = new Set(listed.flatMap(({ marks }) => marks));
    const isUnknown = (one: Subject) => reports.some((report) => report.isUnknown(one));
    deps.known.end(present, look, isUnknown, time);
    if (incidents.tell(at)) recorded();
    // Only now: what could not be recorded is tried again at the next look.
    watched = after;
  }

  async function look(): Promise<void> {
    try {
      const found = await deps.look();
      if (!isEnded) judge(found);
      lastFault = '';
    } catch (error) {
      const reason = reasonOf(error);
      if (!isEnded && reason !== lastFault) log('incidents not recorded', { reason }, 'error');
      lastFault = reason;
    }
  }

  // As often as it says, however long a look takes.
  const looks = every({ pause: () => Math.max(0, pace.every - (elapsed() - from)) }, () => {
    from = elapsed();
    return look();
  });

  return {
    look,
    begin: looks.begin,
    end() {
      isEnded = true;
      // A look that waits for agents records nothing any more.
      void looks.end();
    },
  };
}

const openIn = ({ states }: Watched): Incident[] =>
  [...states.values()].flatMap((one) => (one.phase === 'open' ? one.incident : []));

/** An incident begins when its problem did, as people have read it in the list. */
function sinceListed(listed: readonly Listed[]): (act: Act) => Act {
  const sinces = new Map<string, number>();
  for (const { incidents, since } of listed) {
    const time = Date.parse(since);
    // An agent may say anything.
    if (Number.isNaN(time)) continue;
    for (const key of incidents) sinces.set(key, Math.min(time, sinces.get(key) ?? time));
  }
  return (act) => {
    const since = sinces.get(incidentKey(act.incident));
    return since === undefined ? act : { ...act, since: new Date(since) };
  };
}

/** Whether the site is gone, disabled or nowhere placed, or the agent was removed. */
function isMoot({ subject }: Incident, reports: readonly Report[]): boolean {
  const vhost = vhostIdOf(subject);
  if (vhost !== null) return !reports.some(({ placed }) => placed.has(vhost));
  const agent = agentIdOf(subject);
  return agent !== null && !reports.some(({ of }) => of === agent);
}

/** `label` is that of who reported it; null if that was before the hub was started. */
type Held = Readonly<{ incident: Incident; label: string | undefined | null }>;

/** What each agent, and the hub, reported last; by `incidentKey`. */
type Memory = ReadonlyMap<number, ReadonlyMap<string, Held>>;

/**
 * What the first look continues: any of those that may say so may have reported an open incident.
 * @param open the incidents that are not over
 */
const rememberOpen = (open: readonly Incident[], reports: readonly Report[]): Memory =>
  new Map(
    reports.map(({ of }) => [
      of,
      new Map(
        open.flatMap((incident): [string, Held][] =>
          isFor(incident, of) ? [[incidentKey(incident), { incident, label: null }]] : [],
        ),
      ),
    ]),
  );

function isFor({ subject }: Incident, of: number): boolean {
  if (vhostIdOf(subject) !== null) return of !== HUB;
  return (agentIdOf(subject) ?? HUB) === of;
}

const remember = (before: Memory, reports: readonly Report[]): Memory =>
  new Map(
    reports.map((report) => {
      const now = new Map<string, Held>();
      for (const [key, held] of before.get(report.of) ?? []) {
        if (report.isUnknown(held.incident)) now.set(key, held);
      }
      for (const incident of report.present) {
        const key = incidentKey(incident);
        // The worst comes first.
        if (!now.has(key) || now.get(key) === before.get(report.of)?.get(key)) {
          now.set(key, { incident, label: report.label });
        }
      }
      return [report.of, now];
    }),
  );

/** What several agents report of a site is one incident, that says whose proxies it is about. */
function incidentsIn(memory: Memory): Map<string, Incident> {
  const all = [...memory.values()].flatMap((one) => [...one]);
  const groups = Map.groupBy(all, ([key]) => key);
  return new Map(
    [...groups].flatMap(([key, same]) => {
      const held = same.map(([, one]) => one);
      const [first] = held;
      return first ? [[key, together(first, held)]] : [];
    }),
  );
}

function together(first: Held, held: readonly Held[]): Incident {
  const fresh = held.flatMap(({ label, incident }) => (label === null ? [] : { label, incident }));
  const [worst = first] = fresh.toSorted((a, b) => (a.incident.level < b.incident.level ? -1 : 1));
  const settles = Math.min(...held.map(({ incident }) => incident.settles));
  // What is about an agent is shown with its name anyway.
  if (fresh.length === 0 || vhostIdOf(worst.incident.subject) === null) {
    return { ...worst.incident, settles };
  }
  const each = fresh.map(({ label, incident: { message } }) => ({ label, message }));
  return { ...worst.incident, settles, message: saying(each).join(' ') };
}
