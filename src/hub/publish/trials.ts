/**
 * What a change goes through before the queue: if sites with a check depend on it, they are asked at a
 * Caddy of their own first, so that no visitor sees a mistake that a check finds. Plans made here are for
 * the trial alone: what is live by then may be another set (`overtaken.ts`). What waits for a trial is tried
 * together, as the queue publishes together what waits; a site that does not answer well at once waits apart,
 * so that it keeps nobody waiting, and an agent keeps only those waiting that it serves.
 */
import { createQueue } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { inRequests } from '../../shared/observe/context.ts';
import { TRIALS_AT_ONCE } from '../../shared/wire/checks.ts';
import type { Store } from '../model/store.ts';
import { type Affected, affectedBy, overlap } from './batch.ts';
import { concernChecked } from './checks.ts';
import { type GoOn, untilAllArrived, type Waiting } from './queue.ts';
import { type RoundDeps, tryTogether } from './round.ts';

type TrialsDeps = RoundDeps & { store: Pick<Store, 'hasPublished' | 'assertInPlace'> };

type Entry = {
  item: Waiting;
  goOn: GoOn;
  affected: Affected;
  /** The ids of the agents that are asked, as text; those with the same ones are tried together. */
  lane: string;
  /** Whether some site of it did not pass in a brief round. */
  isSlow?: true;
};

/** What goes on without a trial, or where it waits for one. */
type Looked = Pick<Entry, 'affected'> & ({ on: Waiting } | { lane: string });

/** How many rounds of an agent may take longer at once: one is left for what is brief. */
const MOST_LONG = TRIALS_AT_ONCE - 1;

type Trials = {
  /**
   * Calls `goOn` with the change once it was tried, or if there is nothing to try, and otherwise rejects it
   * with Failure CHECK_FAILED. What cannot be tried goes on.
   */
  tryOut(item: Waiting, goOn: GoOn): void;
  /** Rejects what waits for its trial, now and later, with Failure STOPPING. */
  stop(): void;
};

export function createTrials(deps: TrialsDeps): Trials {
  const { targets, store, accepted, now } = deps;
  const inOrder = createQueue();
  let waiting: Entry[] = [];
  /** By agent, how many rounds run, and how many of them may take longer. */
  const [running, long] = [new Map<string, number>(), new Map<string, number>()];
  /** What has not gone on yet. */
  const open = new Set<Waiting>();
  let isStopping = false;
  /** What has gone on and has no outcome yet. */
  const ahead = new Map<Promise<void>, Affected>();

  /** In the queue it is not planned again if nothing has come between. */
  async function look(item: Waiting): Promise<Looked> {
    // The first change may be refused because of what it would replace.
    if (item.unchecked || !store.hasPublished()) return { on: item, affected: NOTHING };
    try {
      store.assertInPlace();
      const [set, time] = [accepted(), now()];
      const plan = await item.change(set, time);
      if ('done' in plan) return { on: item, affected: NOTHING };
      const { steps, next } = plan;
      // What is created affects nothing that others can have planned.
      const affected = affectedBy(steps.filter(({ kind, before }) => kind !== 'vhost' || before));
      if (concernChecked([{ item, plan }], set)) {
        const { asked } = targets.destinations(steps, next);
        return { affected, lane: asked.map(({ id }) => id).join() };
      }
      const change: Waiting['change'] = (on, at) => (on === set ? plan : item.change(on, at));
      return { on: { ...item, change }, affected };
    } catch {
      // The queue finds the same, and says so.
      return { on: item, affected: NOTHING };
    }
  }

  /** Resolves when it has an outcome, or comes back to be tried again. */
  function letOn(goOn: GoOn, item: Waiting, affected: Affected): Promise<void> {
    const over = goOn(item).finally(() => ahead.delete(over));
    ahead.set(over, affected);
    return over;
  }

  async function enter(item: Waiting, goOn: GoOn): Promise<void> {
    const looked = await inOrder(() => look(item));
    const { affected } = looked;
    if ('on' in looked) return void letOn(goOn, looked.on, affected);
    if (isStopping) return item.reject(stopping());
    open.add(item);
    // A trial on top of what is about to change would say nothing.
    await Promise.all([...ahead].flatMap(([over, one]) => (overlap(one, affected) ? over : [])));
    if (isStopping) return;
    waiting.push({ item, goOn, affected, lane: looked.lane });
    void tryWaiting(looked.lane);
  }

  /** Tries what waits for the same agents, as far as there is room. */
  async function tryWaiting(lane: string): Promise<void> {
    const agents = lane.split(',');
    const are = (fewer: number, counts: typeof running) =>
      agents.every((agent) => (counts.get(agent) ?? 0) < fewer);
    const count = (counts: typeof running, more: number) => {
      for (const agent of agents) counts.set(agent, (counts.get(agent) ?? 0) + more);
    };
    await untilAllArrived(waiting);
    if (!are(TRIALS_AT_ONCE, running)) return;
    const { slow = [], others = [] } = Object.groupBy(
      waiting.filter((one) => one.lane === lane),
      ({ isSlow }) => (isSlow ? 'slow' : 'others'),
    );
    const mayLast = are(MOST_LONG, long);
    const round = mayLast && slow.length > 0 ? slow : others;
    const isBrief = round === others && (others.length > 1 || !mayLast);
    if (round.length === 0) return;
    const taken = new Set(round);
    waiting = waiting.filter((one) => !taken.has(one));
    count(running, 1);
    count(long, isBrief ? 0 : 1);
    // What is left may have a turn beside it.
    void tryWaiting(lane);
    await tryRound(round, isBrief);
    count(running, -1);
    count(long, isBrief ? 0 : -1);
    for (const one of new Set(waiting.map((entry) => entry.lane))) void tryWaiting(one);
  }

  /** Lets them go on, or refuses them; those that depend on others, or are slow, wait for another round. */
  async function tryRound(round: readonly Entry[], isBrief: boolean): Promise<void> {
    const items = round.map(({ item }) => item);
    const ids = items.flatMap(({ requestIds }) => requestIds);
    const decided = await inRequests(ids, () => tryTogether(deps, items, isBrief)).catch(
      () => null,
    );
    if (isStopping) return;
    const outcomes: Promise<void>[] = [];
    const later: Entry[] = [];
    for (const entry of round) {
      const { item, goOn, affected } = entry;
      const decision = decided?.get(item) ?? { on: item };
      if (decision !== 'slow') open.delete(item);
      if (decision === 'slow') waiting.push({ ...entry, isSlow: true });
      else if (decision === 'later') later.push(entry);
      else if ('on' in decision) outcomes.push(letOn(goOn, decision.on, affected));
      else item.reject(decision.refused);
    }
    void Promise.all(outcomes).then(() => {
      for (const { item, goOn } of later) void enter(item, goOn);
    });
  }

  return {
    tryOut: (item, goOn) => void enter(item, goOn),
    stop() {
      isStopping = true;
      waiting = [];
      for (const item of open) item.reject(stopping());
      open.clear();
    },
  };
}

const stopping = () =>
  new Failure('STOPPING', 'The hub is stopping; nothing was changed.', {
    hint: 'Repeat the request once the hub runs again.',
  });

const NOTHING: Affected = new Set();
