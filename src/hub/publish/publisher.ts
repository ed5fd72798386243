/**
 * Decides whether a change is stored. Nothing is stored before the proxy has accepted it, so a
 * refusal has nothing to undo:
 *
 * 1. Changes that wait are taken from the queue (`queue.ts`) and planned, each on top of the ones
 *    before it (`batch.ts`).
 * 2. What cannot be published is refused here, without asking the proxy (`containment.ts`).
 * 3. The agent makes the resulting set live, all changes at once (`gateway.ts`).
 * 4. If the proxy refuses it, the changes at fault are refused (`blame.ts`), and 1 starts again
 *    with the others.
 * 5. Rows and changelog are committed (`store.ts`), and only then do the callers get their results.
 */
import { dialectOf } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { changedVhosts, type Planned, planBatch, settle, stepsOf } from './batch.ts';
import { findCulprits, type Refusals, refuseAll } from './blame.ts';
import type { Author, Change } from './changes.ts';
import { assertPlanContained, type Dialect } from './containment.ts';
import { type BrokenVhost, createGateway } from './gateway.ts';
import { type PublishSeen, timePublishes } from './outcome.ts';
import { createChangeQueue, type Waiting } from './queue.ts';
import { forCaller, isRejection } from './refusal.ts';
import type { Store } from './store.ts';
import type { SiteSet } from './vhost.ts';

export type PublisherDeps = {
  store: Store;
  agent: AgentClient;
  now: () => Date;
  log: Log;
  /** Gets the outcome of each publish. */
  observe?: (seen: PublishSeen) => void;
  /** Folders whose files a config may import. */
  importDirs?: readonly string[];
};

/** When the last accepted publish ended, how long it took, and how many changes it made live. */
export type LastPublish = { at: Date; milliseconds: number; changes: number };

export type Publisher = {
  /** The set that is accepted and stored. */
  current(): SiteSet;
  lastPublish(): LastPublish | null;
  /** How many changes have no outcome yet. */
  queueLength(): number;
  /** Stored vhosts that the proxy no longer accepts, as of the last attempt to publish the set. */
  broken(): readonly BrokenVhost[];
  /**
   * Makes a change live and records it.
   * @param replace whether the first change may replace sites that signalbox did not write
   * @returns the change's result
   * @throws Failure, with everything as it was before
   */
  apply<T>(change: Change<T>, author: Author, replace?: boolean): Promise<T>;
  /** The proxy's dialect, or the strictest one if it cannot be asked. Never fails. */
  dialect(): Promise<Dialect>;
  /**
   * What a change would do; the proxy validates it, and nothing changes anywhere.
   * @returns the set it leads to, and why it would be refused, or null
   * @throws Failure if the change cannot be planned, or agent or proxy cannot be asked
   */
  preview(change: Change<unknown>): Promise<{ next: SiteSet; refusal: Failure | null }>;
  /** Whether proxy and file show what is stored. */
  isInStep(status: ProxyStatus): boolean;
  /** Publishes the stored set again if the proxy serves another one. @throws Failure as `apply` */
  reconcile(): Promise<void>;
};

export function createPublisher({
  store,
  agent,
  now,
  log,
  observe = () => {},
  importDirs = [],
}: PublisherDeps): Publisher {
  const gateway = createGateway(agent);
  const startTimer = timePublishes(log, observe);
  const queue = createChangeQueue(publishAll);
  let accepted: SiteSet = store.load();
  let lastPublish: LastPublish | null = null;
  let broken: BrokenVhost[] = [];
  let dialect: Dialect | undefined;
  /** The agent did not say how a publish ended: it may still go live. */
  let unsure = false;

  /** Publishes the changes that wait; without those at fault, again and again until none is left. */
  async function publishAll(items: readonly Waiting[]): Promise<void> {
    let open = items;
    while (open.length > 0) {
      const time = now();
      const batch = planBatch(accepted, open, time);
      if (batch.plans.length === 0) return settle(batch);
      const refused = (await refuseEarly(batch.plans)) ?? (await publish(batch.plans, time));
      if (refused === 'together') {
        const half = (open.length - batch.later.length) >> 1;
        await publishAll(open.slice(0, half));
        open = open.slice(half);
      } else if (refused.size === 0) {
        settle(batch);
        open = batch.later;
      } else {
        for (const [item, error] of refused) item.reject(error);
        open = open.filter((item) => !refused.has(item));
      }
    }
  }

  /** Refuses what need not be shown to the proxy; null if there is nothing to refuse. */
  async function refuseEarly(plans: readonly Planned[]): Promise<Refusals | null> {
    const refused: Refusals = new Map();
    const known = await knownDialect();
    for (const { item, plan } of plans) {
      try {
        assertPlanContained(plan, known);
      } catch (error) {
        refused.set(item, forCaller(error, plan.steps));
      }
    }
    if (refused.size > 0) return refused;
    return store.hasPublished() ? null : refuseTakeover(plans);
  }

  /** The first publish may replace sites that signalbox did not write only if the change says so. */
  async function refuseTakeover(plans: readonly Planned[]): Promise<Refusals | null> {
    const isForeign = await proxyStatus().then(
      ({ foreign }) => foreign,
      () => false,
    );
    const refused = isForeign ? plans.filter(({ item }) => !item.replace) : [];
    if (refused.length > 0) return refuseAll(refused, importFirst());
    store.markAttempt(now());
    return null;
  }

  /** @returns the changes at fault; none if all are live and recorded */
  async function publish(plans: readonly Planned[], time: Date): Promise<Refusals | 'together'> {
    const next = plans.at(-1)?.plan.next ?? accepted;
    const from = performance.now();
    const report = startTimer(plans.length);
    try {
      await gateway.publish(next, changedVhosts(stepsOf(plans)));
    } catch (error) {
      report({ thrown: error });
      if (error instanceof Failure && error.code === 'AGENT_UNREACHABLE') unsure = true;
      return findCulprits(gateway, plans, next, error);
    }
    try {
      store.commit(plans, time);
    } catch (error) {
      // It is live but cannot be recorded: the proxy goes back to what is stored.
      log('commit failed', { reason: reasonOf(error) }, 'error');
      report({ thrown: error });
      unsure = true;
      await confirm().catch(() => undefined);
      return refuseAll(plans, error);
    }
    report();
    accepted = next;
    broken = [];
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return new Map();
  }

  /** Publishes the stored set again and waits for the agent to confirm it. @throws Failure */
  async function confirm(): Promise<void> {
    const report = startTimer(0);
    try {
      await gateway.publish(accepted);
    } catch (error) {
      report({ thrown: error });
      if (isRejection(error)) {
        const enabled = accepted.vhosts.filter((vhost) => vhost.enabled);
        broken = await gateway.findBroken(accepted, enabled);
      }
      throw error;
    }
    report();
    unsure = false;
    broken = [];
  }

  async function proxyStatus(): Promise<ProxyStatus> {
    const status = await agent.status();
    dialect = { ...dialectOf(status.proxy.version), importDirs };
    return status;
  }

  async function knownDialect(): Promise<Dialect> {
    if (!dialect) await proxyStatus().catch(() => undefined);
    return dialect ?? dialectOf(null);
  }

  function isInStep(status: ProxyStatus): boolean {
    if (!store.hasPublished() && status.liveDigest === null) return !status.foreign;
    const digest = gateway.digestOf(accepted);
    return status.liveDigest === digest && (status.drift || status.fileDigest === digest);
  }

  return {
    current: () => accepted,
    lastPublish: () => lastPublish,
    queueLength: queue.length,
    broken: () => broken,
    apply: (change, author, replace = false) => queue.add(change, author, replace),
    dialect: knownDialect,
    isInStep,

    async preview(change) {
      const plan = change(accepted, now());
      if ('done' in plan) return { next: accepted, refusal: null };
      const { next, steps } = plan;
      try {
        assertPlanContained(plan, await knownDialect());
        await gateway.check(next, changedVhosts(steps));
        return { next, refusal: null };
      } catch (error) {
        const refusal = forCaller(error, steps);
        if (isRejection(refusal)) return { next, refusal };
        throw refusal;
      }
    },

    reconcile: () =>
      queue.between(async () => {
        const status = await proxyStatus();
        // A first publish may have gone live without being recorded; anything else is not ours.
        const isOurs = store.hasPublished() || (store.hasAttempted() && status.liveDigest !== null);
        if (isOurs && (unsure || !isInStep(status))) await confirm();
      }),
  };
}

const importFirst = () =>
  new Failure(
    'IMPORT_FIRST',
    'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );
