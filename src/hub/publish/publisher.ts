/**
 * Decides whether a change is stored. Nothing is stored before the proxy has accepted it, so a
 * refusal has nothing to undo:
 *
 * 1. Changes that wait are taken from the queue (`queue.ts`) and planned, each on top of the ones
 *    before it (`batch.ts`).
 * 2. What cannot be published is refused here, without asking the proxy (`containment.ts`).
 * 3. The agent makes the resulting set live, all changes at once (`gateway.ts`).
 * 4. If the proxy refuses it, the changes at fault are refused (`blame.ts`), and 1 starts again
 *    with the others. Stored vhosts at fault are left out from then on (`left-out.ts`).
 * 5. Rows and changelog are committed (`store.ts`), and only then do the callers get their results.
 */
import { dialectOf } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { changedVhosts, type Planned, planBatch, settle, stepsOf } from './batch.ts';
import { findCulprits, findStale, type Refusals, refuseAll } from './blame.ts';
import {
  type Author,
  type Change,
  idsAfter,
  isPublished,
  type Plan,
  type Step,
} from './changes.ts';
import { assertPlanContained, type Dialect } from './containment.ts';
import { type BrokenVhost, createGateway } from './gateway.ts';
import { createLeftOut } from './left-out.ts';
import { type PublishSeen, timePublishes } from './outcome.ts';
import { importFirst, isClaimed, isOthers, isOurs, otherHub } from './ownership.ts';
import { createChangeQueue, type Waiting } from './queue.ts';
import { forCaller, isRejection, isTooLarge } from './refusal.ts';
import { createStanding } from './standing.ts';
import type { Store } from './store.ts';
import { createUpkeep } from './upkeep.ts';
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
  /** Stored vhosts that the proxy refuses, and that are therefore not live. */
  broken(): readonly BrokenVhost[];
  /** Why the stored set is not live, apart from those vhosts; null if it is, or nobody has tried. */
  failure(): Failure | null;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership(): string | null;
  /** What stands between this hub and its proxy, ownership included, for the operator. */
  warnings(): string[];
  /**
   * Makes a change live and records it.
   * @param replace whether the change may replace sites that this hub did not publish
   * @returns the change's result
   * @throws Failure, with everything as it was before
   */
  apply<T>(change: Change<T>, author: Author, replace?: boolean): Promise<T>;
  /** The proxy's version, as it last said; null if it is not known. */
  version(): string | null;
  /** The proxy's dialect, or the strictest one if it cannot be asked. Never fails. */
  dialect(): Promise<Dialect>;
  /**
   * What a change would do; the proxy validates it, and nothing changes anywhere.
   * @returns the set it leads to, and why it would be refused, or null
   * @throws Failure if the change cannot be planned, or agent or proxy cannot be asked
   */
  preview(change: Change<unknown>): Promise<{ next: SiteSet; refusal: Failure | null }>;
  /** Whether proxy and file show what is stored, apart from the vhosts that are left out. */
  isInStep(status: ProxyStatus): boolean;
  /**
   * Publishes the stored set again if the proxy serves another one, and tries vhosts again that
   * were left out. @throws Failure as `apply`
   */
  reconcile(): Promise<void>;
};

/**
 * The text of a policy is the same in each of its vhosts: it is validated in some of them before all
 * of them are loaded, which refuses what only fails in another.
 */
const ENOUGH_OF_POLICY = 8;

export function createPublisher({
  store,
  agent,
  now,
  log,
  observe = () => {},
  importDirs = [],
}: PublisherDeps): Publisher {
  let version: string | null = null;
  const gateway = createGateway(agent, () => version);
  const startTimer = timePublishes(log, observe);
  const queue = createChangeQueue(publishAll);
  const standing = createStanding(store, log);
  let accepted: SiteSet = store.load();
  let lastPublish: LastPublish | null = null;
  let dialect: Dialect | undefined;
  const leftOut = createLeftOut(log, performance.now.bind(performance));
  const upkeep = createUpkeep({ gateway, leftOut, startTimer, store, stored: () => accepted });
  /** Nothing is served that a first publish could take away. */
  let vacant = false;
  /** The stored set was not live yet since the start: what is live instead may be the newer one. */
  let starting = true;

  /** Publishes the changes that wait; without those at fault, again and again until none is left. */
  async function publishAll(items: readonly Waiting[]): Promise<void> {
    let open = items;
    while (open.length > 0) {
      const time = now();
      const batch = await planBatch(accepted, open, time);
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
    store.assertInPlace();
    const refused: Refusals = new Map();
    const known = await dialectFor(plans.at(-1)?.plan.next ?? accepted);
    for (const { item, plan } of plans) {
      try {
        await assertPlanContained(plan, known);
      } catch (error) {
        refused.set(item, forCaller(error, plan.steps));
      }
    }
    if (refused.size > 0) return refused;
    return store.hasPublished() ? null : refuseTakeover(plans);
  }

  /** The first publish may replace sites that this hub did not publish only if the change says so. */
  async function refuseTakeover(plans: readonly Planned[]): Promise<Refusals | null> {
    const status = await proxyStatus().catch(() => null);
    vacant = status?.foreign === false && status.proxy.running;
    const refused = status?.foreign ? plans.filter(({ item }) => !item.replace) : [];
    if (status && refused.length > 0) return refuseAll(refused, importFirst(status, store));
    store.markAttempt(now());
    return null;
  }

  /** @returns the changes at fault; none if all are live and recorded */
  async function publish(plans: readonly Planned[], time: Date): Promise<Refusals | 'together'> {
    const stored = plans.at(-1)?.plan.next ?? accepted;
    const steps = stepsOf(plans).filter(isPublished);
    if (steps.length === 0 && store.hasPublished()) return record(plans, time);
    const next = leftOut.after(stored, steps);
    const from = performance.now();
    const report = startTimer(plans.length);
    try {
      const replace = plans.every(({ item }) => item.replace) || vacant || store.mayReplace();
      const changed = changedVhosts(steps, ENOUGH_OF_POLICY);
      await gateway.publish(next, { changed, replace, keep: starting });
    } catch (error) {
      report({ thrown: error });
      const careful = plans.filter(({ item }) => !item.replace);
      if (error instanceof Failure && error.code === 'OTHER_HUB') return refuseAll(careful, error);
      if (error instanceof Failure && error.code === 'AGENT_UNREACHABLE') upkeep.doubt();
      if (isTooLarge(error) && plans.length > 1) return 'together';
      if (!isRejection(error) || isTooLarge(error)) return refuseAll(plans, error);
      const stale = await findStale(gateway, leftOut.of(accepted), next, steps, error);
      const [first] = stale.broken;
      if (!first) return findCulprits(gateway, plans, next, error);
      // It is still served, and would not be any more: only its own change is worth that.
      if (!(await isAboutBroken(steps))) return refuseAll(plans, first.failure);
      leftOut.add(stale);
      return publish(plans, time);
    }
    try {
      store.markOwner();
      store.commit(plans, time);
    } catch (error) {
      // It is live but cannot be recorded: the proxy goes back to what is stored.
      log('commit failed', { reason: reasonOf(error) }, 'error');
      report({ thrown: error });
      upkeep.doubt();
      await upkeep.confirm().catch(() => undefined);
      return refuseAll(plans, error);
    }
    report();
    accepted = stored;
    leftOut.settle(stored, steps);
    vacant = false;
    starting = false;
    standing.see(null);
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return new Map();
  }

  /** Records plans that change nothing for the proxy. @returns as `publish` */
  function record(plans: readonly Planned[], time: Date): Refusals {
    try {
      store.commit(plans, time);
    } catch (error) {
      log('commit failed', { reason: reasonOf(error) }, 'error');
      return refuseAll(plans, error);
    }
    accepted = plans.at(-1)?.plan.next ?? accepted;
    return new Map();
  }

  /** Whether steps change a vhost that the proxy refuses as it is stored. */
  async function isAboutBroken(steps: readonly Step[]): Promise<boolean> {
    const changed = idsAfter(steps);
    for (const step of steps) if (step.kind === 'delete') changed.add(step.before.id);
    if (leftOut.list().some(({ vhost }) => changed.has(vhost.id))) return true;
    const before = accepted.vhosts.filter(({ id }) => changed.has(id));
    return (await gateway.findBroken(leftOut.of(accepted), before)).broken.length > 0;
  }

  /** Has the proxy validate a plan, without the stored vhosts that it refuses. @throws Failure */
  async function check({ next, steps }: Plan<unknown>): Promise<void> {
    const stored = leftOut.of(accepted);
    const set = leftOut.after(next, steps);
    try {
      await gateway.check(set, changedVhosts(steps));
    } catch (error) {
      if (!isRejection(error) || isTooLarge(error)) throw error;
      const stale = await findStale(gateway, stored, set, steps, error);
      const [first] = stale.broken;
      if (!first) throw error;
      if (!(await isAboutBroken(steps))) throw first.failure;
      const ids = new Set([...stale.broken.map(({ vhost }) => vhost), ...stale.unexamined]);
      const vhosts = set.vhosts.filter((vhost) => !ids.has(vhost));
      await gateway.check({ ...set, vhosts }, changedVhosts(steps));
    }
  }

  async function proxyStatus(): Promise<ProxyStatus> {
    const status = await agent.status();
    version = status.proxy.version;
    dialect = { ...dialectOf(version), importDirs };
    return status;
  }

  async function knownDialect(): Promise<Dialect> {
    if (!dialect) await proxyStatus().catch(() => undefined);
    return dialect ?? dialectOf(null);
  }

  /** Asks again if it matters: another Caddy may have been started since the last look. */
  async function dialectFor({ preamble, vhosts }: SiteSet): Promise<Dialect> {
    const mayHold = preamble.includes('<<') || vhosts.some(({ config }) => config.includes('<<'));
    if (mayHold) await proxyStatus().catch(() => undefined);
    return knownDialect();
  }

  function isInStep(status: ProxyStatus): boolean {
    if (!store.hasPublished() && status.liveDigest === null) return !status.foreign;
    if (!isClaimed(status, store)) return false;
    const digest = gateway.digestOf(leftOut.of(accepted));
    return status.liveDigest === digest && (status.drift || status.fileDigest === digest);
  }

  /** Looks at the proxy, and publishes the stored set again if it serves another one. @throws Failure */
  async function compare(): Promise<void> {
    store.assertInPlace();
    const status = await proxyStatus();
    standing.see(status);
    if (isOthers(status, store)) throw otherHub();
    if (!isOurs(status, store)) return;
    const isSure = !upkeep.isUnsure();
    const set = leftOut.of(accepted);
    const digest = gateway.digestOf(set);
    const { liveDigest, fileDigest } = status;
    // Another version of the proxy has other words for the same.
    const isForeign = (file: string) => !gateway.isOfAnyVersion(set, file);
    const isReplaced = !starting && isSure && liveDigest !== null && liveDigest !== digest;
    if (isReplaced && standing.contention.isWaiting()) return;
    await upkeep.look(() => isInStep(status), {
      keep: starting && fileDigest !== null && fileDigest !== digest && isForeign(fileDigest),
      ...(liveDigest === null ? {} : { expects: liveDigest }),
    });
    if (isReplaced) standing.contention.replaced();
    starting = false;
  }

  return {
    current: () => accepted,
    lastPublish: () => lastPublish,
    queueLength: queue.length,
    broken: leftOut.list,
    failure: upkeep.failure,
    apply: (change, author, replace = false) => queue.add(change, author, replace),
    version: () => version,
    dialect: knownDialect,
    isInStep,
    ownership: standing.ownership,
    warnings: standing.warnings,

    async preview(change) {
      const set = accepted;
      const plan = await change(set, now());
      if ('done' in plan) return { next: set, refusal: null };
      const { next, steps } = plan;
      try {
        await assertPlanContained(plan, await dialectFor(next));
        await check(plan);
        return { next, refusal: null };
      } catch (error) {
        const refusal = forCaller(error, steps);
        if (isRejection(refusal)) return { next, refusal };
        throw refusal;
      }
    },

    reconcile: () => queue.between(() => compare().finally(standing.report)),
  };
}
