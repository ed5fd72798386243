/**
 * Decides whether a change is stored. Nothing is stored before the proxy has accepted it, so a
 * refusal has nothing to undo:
 *
 * 1. Changes that wait are taken from the queue (`queue.ts`) and planned, each on top of the ones
 *    before it (`batch.ts`). Those on which sites with a check depend come last.
 * 2. What cannot be published is refused here, without asking the proxy (`model/containment.ts`).
 * 3. Sites with a check are asked beside the proxy (`trial.ts`). What fails there is refused, and 1 starts
 *    again with the others.
 * 4. The agent makes the resulting set live, all changes at once (`gateway.ts`). If the proxy refuses it,
 *    the changes at fault are refused (`rollout.ts`), and 1 starts again with the others. Stored vhosts at
 *    fault are left out from then on (`left-out.ts`).
 * 5. Sites with a check are asked (`checks.ts`). If some do not answer as they should, all is rolled
 *    back (`rollout.ts`), and 1 starts again without their changes.
 * 6. Rows and changelog are committed (`model/store.ts`), and only then do the callers get their results.
 */
import { type Log, reasonOf } from '../../shared/log.ts';
import type { ProxyStatus } from '../../shared/wire/proxy.ts';
import type { Agent, Agents } from '../agents/agents.ts';
import type { AgentClient } from '../agents/client.ts';
import { FIRST_AGENT, type StoredAgent } from '../model/agent.ts';
import { agentNamed, setFor } from '../model/applied.ts';
import type { Author, Change } from '../model/changes.ts';
import { assertPlanContained, type Dialect } from '../model/containment.ts';
import { areAside, isPublished } from '../model/entities.ts';
import { forCaller } from '../model/refusal.ts';
import type { Store } from '../model/store.ts';
import type { SiteSet } from '../model/vhost.ts';
import {
  acceptedOf,
  areChecked,
  concernChecked,
  type Ended,
  NOTHING_ENDED,
  type Planned,
  planBatch,
  type Refusals,
  refuseAll,
  settle,
  stepsOf,
} from './batch.ts';
import { createPreview, type Preview } from './preview.ts';
import { type Applied, createChangeQueue, type Demands, type Waiting } from './queue.ts';
import { createRehearsal, type Rehearse } from './rehearsal.ts';
import { rollOut } from './rollout.ts';
import { type PublishSeen, timePublishes } from './target/outcome.ts';
import { importFirst, notRestorable } from './target/standing.ts';
import type { Target, TargetDeps } from './target/target.ts';
import {
  type AgentStanding,
  createStandings,
  createTargets,
  type Targets,
} from './target/targets.ts';
import { createTrial } from './trial.ts';

export type PublisherDeps = {
  store: Store;
  /** A client of an agent. */
  connect: (agent: StoredAgent) => AgentClient;
  /** As `TargetDeps['pairOf']` of an agent. */
  pairsFor?: (agent: StoredAgent) => TargetDeps['pairOf'];
  pace: TargetDeps['pace'];
  now: () => Date;
  log: Log;
  /** Gets the outcome of each publish. */
  observe?: (seen: PublishSeen) => void;
  /** Folders whose files a config may import. */
  importDirs?: readonly string[];
};

/** When the last accepted publish ended, how long it took, and how many changes it made live. */
type LastPublish = { at: Date; milliseconds: number; changes: number };

export type Publisher = {
  /** The set that is accepted and stored. */
  current(): SiteSet;
  /** How many sites a proxy may serve: those stored, or those of the last publish if they are more. */
  mostSites(): number;
  lastPublish(): LastPublish | null;
  /** How many changes have no outcome yet. */
  queueLength(): number;
  /**
   * Makes a change live and records it.
   * @returns the change's result, and who lacks it
   * @throws Failure, with everything as it was before
   */
  apply<T>(change: Change<T>, author: Author, demands?: Demands): Promise<Applied<T>>;
  /**
   * The version of an agent's proxy, as it last said; null if it is not known.
   * @param name the first agent's if it is missing @throws Failure NOT_FOUND
   */
  version(name?: string): string | null;
  /** The names of the variables in its proxy's environment; null if they are not known. As `version`. */
  environment(name?: string): readonly string[] | null;
  /** The files of logs that its proxy could not write at the last publish. As `version`. */
  unwritable(name?: string): readonly string[];
  /** The dialect of an agent's proxy, or the strictest one if it cannot be asked. As `version`. */
  dialect(name?: string): Promise<Dialect>;
  preview: Preview;
  /** A dry run. */
  rehearse: Rehearse;
  /** What goes to the agents. */
  targets: Pick<Targets, 'named' | 'destinations'>;
  /**
   * Whether proxy and file of an agent show what is stored, apart from the vhosts that are left out.
   * @param id the first agent's if it is missing; false for one that was removed
   */
  isInStep(status: ProxyStatus, id?: number): boolean;
  /** Whether an agent's proxy serves, or is about to, what checks may take back. */
  isOnTrial(id: number): boolean;
  /** Those that can be asked. */
  readonly agents: Agents;
  /** What each agent was last seen as; the first one first. */
  standings(): readonly AgentStanding[];
  /** What an agent's proxy is to serve; everything if none is named. @throws Failure NOT_FOUND */
  setOf(name?: string): SiteSet;
  /**
   * Looks at an agent's proxy, publishes the stored set again if it serves another one, and tries
   * vhosts again that were left out. @throws Failure as `apply`
   */
  reconcile(id: number): Promise<void>;
  /** Rejects changes that are not tried yet with Failure STOPPING; others are finished. */
  end(): Promise<void>;
  /** Resolves once each change that was given to it has its outcome. Call it after `end`, or it may never. */
  drained(): Promise<void>;
};

export function createPublisher({
  store,
  connect,
  pairsFor = () => null,
  pace,
  now,
  log,
  observe = () => {},
  importDirs = [],
}: PublisherDeps): Publisher {
  const startTimer = timePublishes(log, observe);
  const standings = createStandings(now);
  let accepted: SiteSet = store.load();
  let lastPublish: LastPublish | null = null;
  let published = 0;
  const targets = createTargets({
    connect,
    pairsFor,
    store,
    startTimer,
    importDirs,
    pace,
    now,
    log,
    stored: () => accepted,
  });
  const trialDeps = { targets, accepted: () => accepted, startTimer };
  const trial = createTrial(trialDeps);
  const preview = createPreview({ targets, stored: () => accepted, now });
  const queue = createChangeQueue(publishAll);

  /**
   * Publishes the changes that wait: first those on which no site with a check depends, so that they wait for no
   * trial but the one that runs.
   * @returns those for the next batch
   */
  async function publishAll(items: readonly Waiting[]): Promise<readonly Waiting[]> {
    const checked = await publishSome(items, true);
    const left = checked.length > 0 ? await publishSome(checked, false) : [];
    // After what goes live before them, their sites may answer otherwise.
    for (const { tried } of left) tried.clear();
    return left;
  }

  /**
   * Publishes changes; without those at fault, again and again until none is left.
   * @param isQuick if true, those on which sites with a check depend are left. If false, all are such, and those
   * that need a trial of their own are left
   * @returns those that are left
   */
  async function publishSome(
    items: readonly Waiting[],
    isQuick: boolean,
  ): Promise<readonly Waiting[]> {
    const left: Waiting[] = [];
    const isApart = (one: Planned) => isQuick && concernChecked([one], accepted);
    let open = items;
    while (open.length > 0) {
      const time = now();
      const batch = await planBatch(accepted, open, time, isApart);
      const apart = new Set(isQuick ? batch.apart : batch.later);
      left.push(...apart);
      open = open.filter((item) => !apart.has(item));
      const later = isQuick ? batch.later : [];
      if (batch.plans.length === 0) {
        settle(batch, NOTHING_ENDED);
        break;
      }
      const done = (await refuseEarly(batch.plans)) ?? (await publish(batch.plans, time, isQuick));
      if (done === 'together') {
        const half = (open.length - later.length) >> 1;
        const [some, others] = [open.slice(0, half), open.slice(half)];
        left.push(...(isQuick ? await publishSome(some, isQuick) : others));
        open = isQuick ? others : some;
      } else if ('behind' in done) {
        settle(batch, done);
        open = later;
      } else {
        for (const [item, error] of done) item.reject(error);
        open = open.filter((item) => !done.has(item));
      }
    }
    return left;
  }

  /** Refuses what need not be shown to the proxies; null if there is nothing to refuse. */
  async function refuseEarly(plans: readonly Planned[]): Promise<Refusals | null> {
    store.assertInPlace();
    const refused: Refusals = new Map();
    const dialects = await targets.dialectsOf(plans.at(-1)?.plan.next ?? accepted, stepsOf(plans));
    for (const { item, plan } of plans) {
      try {
        await assertPlanContained(plan, dialects);
      } catch (error) {
        refused.set(item, forCaller(error, plan.steps));
      }
    }
    if (refused.size > 0) return refused;
    return store.hasPublished() || areAside(stepsOf(plans)) ? null : refuseTakeover(plans);
  }

  /** The first publish may replace sites that this hub did not publish only if the change says so. */
  async function refuseTakeover(plans: readonly Planned[]): Promise<Refusals | null> {
    let unreachable: unknown;
    const first = targets.first();
    const status = await first.status().catch((error: unknown) => {
      unreachable = error;
      return null;
    });
    // The others alone would make the hub one that has published, whatever the first proxy serves.
    if (unreachable && targets.all().length > 1) return refuseAll(plans, unreachable);
    first.setVacant(status?.foreign === false && status.proxy.running);
    const refused = status?.foreign ? plans.filter(({ item }) => !item.replace) : [];
    if (status && refused.length > 0) return refuseAll(refused, importFirst(status, store));
    const checked = status?.foreign ? plans.filter((one) => areChecked([one])) : [];
    if (checked.length > 0) return refuseAll(checked, notRestorable());
    store.markAttempt(now());
    return null;
  }

  /**
   * @param isQuick whether no site with a check depends on them
   * @returns what came of the changes, or the changes at fault: then none of them is live or recorded
   */
  async function publish(
    plans: readonly Planned[],
    time: Date,
    isQuick: boolean,
  ): Promise<Refusals | 'together' | Ended> {
    const stored = plans.at(-1)?.plan.next ?? accepted;
    const all = stepsOf(plans);
    const steps = all.filter(isPublished);
    if (steps.length === 0 && (store.hasPublished() || areAside(all))) return record(plans, time);
    const tried = isQuick ? UNTRIED : await trial.run(plans, stored);
    if (tried === 'together' || 'refused' in tried) {
      endAttempt();
      return tried === 'together' ? tried : tried.refused;
    }
    const from = performance.now();
    const report = startTimer(plans.length);
    published = stored.vhosts.length;
    const { passing } = tried;
    const done = await rollOut({ targets, plans, accepted, next: stored, passing, report });
    if (done === 'again') return publish(plans, time, isQuick);
    if (done === 'together' || !('live' in done)) {
      endAttempt();
      return done;
    }
    const { live, lacking, open } = done;
    const behind = lacking.flatMap(
      ({ id }) => stored.agents.find((agent) => agent.id === id) ?? [],
    );
    let groups: number[];
    try {
      groups = await store.whenFree(() => {
        store.markOwner();
        return store.commit(acceptedOf(plans), time, behind);
      });
    } catch (error) {
      // It is live but cannot be recorded: the proxies go back to what is stored.
      log('commit failed', { reason: reasonOf(error) }, 'error');
      report({ thrown: error });
      await Promise.all(
        live.map(({ upkeep }) => {
          upkeep.markUnknown();
          return upkeep.confirm().catch(() => undefined);
        }),
      );
      return refuseAll(plans, error);
    }
    report();
    accept(stored);
    for (const target of live) target.settle(stored, steps);
    for (const target of lacking) target.fellBehind(time, stored, steps);
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return { behind: behind.map(({ name }) => name), open, groups };
  }

  /** Once the first publish is known to be live nowhere, what this hub has live later is no attempt. */
  function endAttempt(): void {
    const isKnown = targets.all().every(({ upkeep }) => !upkeep.isUnsure());
    if (isKnown && !store.hasPublished()) store.markAttempt(null);
  }

  /** Records plans that change nothing for the proxies. @returns as `publish` */
  async function record(plans: readonly Planned[], time: Date): Promise<Refusals | Ended> {
    let groups: number[];
    try {
      groups = await store.whenFree(() => store.commit(acceptedOf(plans), time));
    } catch (error) {
      log('commit failed', { reason: reasonOf(error) }, 'error');
      return refuseAll(plans, error);
    }
    accept(plans.at(-1)?.plan.next ?? accepted);
    return { ...NOTHING_ENDED, groups };
  }

  function accept(set: SiteSet): void {
    const { agents } = accepted;
    accepted = set;
    if (set.agents !== agents) targets.follow();
  }

  /** The agent is asked beside the queue, where nobody waits for it; only a publish is between two others. */
  async function reconcile(id: number): Promise<void> {
    const isWanted = () => targets.has(id) && !targets.of(id).agent().paused;
    if (!isWanted()) return;
    const target = targets.of(id);
    const away = target.skipped();
    if (away && !(await target.isBack())) throw target.away() ?? away;
    try {
      const look = await target.look();
      await queue.between(async () => {
        // The changes before it may have removed, paused or moved the agent.
        if (!isWanted() || targets.of(id) !== target) return;
        await target.compare(look);
      });
    } finally {
      target.standing.report();
      if (targets.has(id)) standings.of(targets.of(id));
    }
  }

  const agentOf = (target: Target): Agent => {
    const { id, name } = target.agent();
    return { id, name, client: target.client };
  };
  const agents: Agents = {
    first: () => agentOf(targets.first()),
    all: () => targets.all().map(agentOf),
    named: (name) => agentOf(targets.named(name)),
  };

  return {
    current: () => accepted,
    mostSites: () => Math.max(accepted.vhosts.length, published),
    lastPublish: () => lastPublish,
    queueLength: queue.length,
    apply: (change, author, demands = {}) => queue.add(change, author, demands),
    version: (name) => targets.named(name).version(),
    unwritable: (name) => targets.named(name).unwritable(),
    environment: (name) => targets.named(name).environment(),
    dialect: async (name) => targets.named(name).dialect(),
    isInStep: (status, id = FIRST_AGENT) => targets.has(id) && targets.of(id).isInStep(status),
    isOnTrial: (id) => targets.has(id) && targets.of(id).isOnTrial(),
    agents,
    standings: () => targets.all().map(standings.of),
    setOf: (name) => (name ? setFor(accepted, agentNamed(name, accepted).id) : accepted),

    preview,
    rehearse: createRehearsal({ ...trialDeps, preview, store, now }),
    targets,
    reconcile,
    async end() {
      trial.stop();
    },
    drained: queue.drained,
  };
}

/** No site with a check depends on them. */
const UNTRIED = { passing: null };
