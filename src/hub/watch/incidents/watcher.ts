/**
 * Watches for what breaks by itself: looks every five seconds at the facts that the status has too,
 * and records when an incident begins and is over.
 */
import type { Log } from '../../../shared/log.ts';
import { reasonOf } from '../../../shared/log.ts';
import type { Look } from '../look.ts';
import type { Incidents } from './incidents.ts';
import { type Memory, remember, rememberOpen, sightingsIn } from './memory.ts';
import {
  agentIdOf,
  type Report,
  reportsOf,
  type Sighting,
  vhostIdOf,
  type WatchPace,
} from './reports.ts';
import { takeStep, type Watched } from './step.ts';

export type WatcherDeps = {
  look: () => Promise<Look>;
  incidents: Pick<Incidents, 'load' | 'record'>;
  /** Called when something was recorded. */
  recorded: () => void;
  pace: WatchPace & { every: number };
  now: () => Date;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  log: Log;
};

export type Watcher = {
  /** Looks once. Never fails. */
  look(): Promise<void>;
  /** Looks now and from then on every five seconds. */
  begin(): void;
  /** Records nothing more. */
  stop(): void;
};

export function createWatcher(deps: WatcherDeps): Watcher {
  const { incidents, recorded, pace, now, elapsed, log } = deps;
  let watched: Watched | null = null;
  let memory: Memory | null = null;
  let lastFault = '';
  let isStopped = false;
  let timer: Timer | undefined;

  function judge(look: Look): void {
    const reports = reportsOf(look, pace);
    const [time, at] = [elapsed(), now()];
    watched ??= incidents.load(at, time);
    memory ??= rememberOpen(openIn(watched), reports);
    memory = remember(memory, reports);
    const { after, acts } = takeStep(watched, {
      elapsed: time,
      sightings: sightingsIn(memory),
      isMoot: (sighting) => isMoot(sighting, reports),
      pace,
    });
    if (acts.length > 0) {
      incidents.record(acts, at);
      recorded();
    }
    // Only now: what could not be recorded is tried again at the next look.
    watched = after;
  }

  async function look(): Promise<void> {
    try {
      const found = await deps.look();
      if (!isStopped) judge(found);
      lastFault = '';
    } catch (error) {
      const reason = reasonOf(error);
      if (!isStopped && reason !== lastFault) log('incidents not recorded', { reason }, 'error');
      lastFault = reason;
    }
  }

  function next(): void {
    const from = elapsed();
    void look().then(() => {
      if (isStopped) return;
      timer = setTimeout(next, Math.max(0, pace.every - (elapsed() - from)));
    });
  }

  return {
    look,
    begin: next,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

const openIn = ({ states }: Watched): Sighting[] =>
  [...states.values()].flatMap((one) => (one.phase === 'open' ? one.sighting : []));

/** Whether the site is gone, disabled or nowhere placed, or the agent was removed. */
function isMoot({ subject }: Sighting, reports: readonly Report[]): boolean {
  const vhost = vhostIdOf(subject);
  if (vhost !== null) return !reports.some(({ placed }) => placed.has(vhost));
  const agent = agentIdOf(subject);
  return agent !== null && !reports.some(({ of }) => of === agent);
}
