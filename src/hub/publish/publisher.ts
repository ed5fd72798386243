/**
 * Decides whether a change is stored: candidate set → render → the agent makes it live → commit.
 * Nothing is stored before the proxy has accepted it, so a refusal has nothing to undo.
 */
import { hasHeredocs } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import type { Log } from '../../shared/log.ts';
import { reasonOf } from '../../shared/observe/log.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { changedVhosts, type Planned, planBatch, settle, stepsOf } from './batch.ts';
import { type Culprits, everybody, findCulprits } from './blame.ts';
import type { Author, Change } from './changes.ts';
import { assertPlanContained, type Dialect } from './containment.ts';
import { type Blame, createGateway } from './gateway.ts';
import { type PublishSeen, timePublishes } from './outcome.ts';
import { createChangeQueue, type Waiting } from './queue.ts';
import { addressed, isRejection } from './refusal.ts';
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

/** When the last publish ended, how long it took, and how many changes it made live. */
export type LastPublish = { at: Date; milliseconds: number; changes: number };

export type Publisher = {
  /** What is accepted and stored. */
  current(): SiteSet;
  lastPublish(): LastPublish | null;
  /** Changes without an answer yet. */
  queueLength(): number;
  /** Stored vhosts that the proxy no longer accepts, as the last attempt found them. */
  broken(): readonly Blame[];
  /**
   * @param replace whether the first change may replace sites that signalbox did not write
   * @returns the change's result once it is live and recorded
   * @throws Failure with everything as it was before
   */
  apply<T>(change: Change<T>, author: Author, replace?: boolean): Promise<T>;
  /** The proxy's dialect; the careful one if nobody can be asked. Never fails. */
  dialect(): Promise<Dialect>;
  /**
   * What a change would do, validated by the real proxy, with nothing changed anywhere.
   * @returns the set it leads to, and why it would be refused, or null
   * @throws Failure if the change itself makes no sense, or nobody can be asked
   */
  preview(change: Change<unknown>): Promise<{ next: SiteSet; refusal: Failure | null }>;
  /** Whether proxy and file show what is stored. */
  isInStep(status: ProxyStatus): boolean;
  /** Publishes the stored set if the proxy serves another one. @throws Failure as apply */
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
  let dialect: Dialect | undefined;
  /** The agent did not say what became of a publish: it may still go live. */
  let unsure = false;
  let lastPublish: LastPublish | null = null;
  let broken: Blame[] = [];

  async function proxyStatus(): Promise<ProxyStatus> {
    const status = await agent.status();
    dialect = { heredocs: hasHeredocs(status.proxy.version), importDirs };
    return status;
  }

  function isInStep(status: ProxyStatus): boolean {
    if (!store.hasPublished() && status.liveDigest === null) return !status.foreign;
    const digest = gateway.digestOf(accepted);
    return status.liveDigest === digest && (status.drift || status.fileDigest === digest);
  }

  async function knownDialect(): Promise<Dialect> {
    if (!dialect) await proxyStatus().catch(() => undefined);
    return dialect ?? { heredocs: false };
  }

  /** Publishes what waits, and again without the changes at fault, until nothing is left. */
  async function publishAll(items: readonly Waiting[]): Promise<void> {
    let open = items;
    while (open.length > 0) {
      const time = now();
      const batch = planBatch(accepted, open, time);
      if (batch.plans.length === 0) return settle(batch);
      const group = open.slice(0, open.length - batch.later.length);
      const refused = (await refuseEarly(batch.plans)) ?? (await publish(batch.plans, time));
      if (refused === 'together') {
        const middle = group.length >> 1;
        await publishAll(group.slice(0, middle));
        open = open.slice(middle);
      } else if (refused.size === 0) {
        settle(batch);
        open = batch.later;
      } else {
        for (const [item, error] of refused) item.reject(error);
        open = open.filter((item) => !refused.has(item));
      }
    }
  }

  /** What can be refused without asking the proxy; null if nothing is. */
  async function refuseEarly(plans: readonly Planned[]): Promise<Map<Waiting, unknown> | null> {
    const refused = new Map<Waiting, unknown>();
    const known = await knownDialect();
    for (const { item, plan } of plans) {
      try {
        assertPlanContained(plan, known);
      } catch (error) {
        refused.set(item, addressed(error, plan.steps));
      }
    }
    if (refused.size === 0 && !store.hasPublished()) await refuseForeign(plans, refused);
    return refused.size === 0 ? null : refused;
  }

  /** Before its first publish the hub does not replace sites that signalbox did not write. */
  async function refuseForeign(
    plans: readonly Planned[],
    refused: Map<Waiting, unknown>,
  ): Promise<void> {
    const foreign = await proxyStatus().then(
      (status) => status.foreign,
      () => false,
    );
    if (foreign) {
      for (const { item } of plans) {
        if (!item.replace) refused.set(item, importFirst());
      }
    }
    if (refused.size === 0) store.markAttempt(now());
  }

  /** @returns the changes at fault; none once all is live and recorded */
  async function publish(plans: readonly Planned[], time: Date): Promise<Culprits> {
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
      // The proxy has it and the database cannot take it: the proxy goes back too.
      log('commit failed', { reason: reasonOf(error) }, 'error');
      report({ thrown: error });
      unsure = true;
      await confirm().catch(() => undefined);
      return everybody(plans, error);
    }
    report();
    accepted = next;
    broken = [];
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return new Map();
  }

  /** Publishes the stored set again and waits for the agent's confirmation. @throws Failure */
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

  return {
    current: () => accepted,
    lastPublish: () => lastPublish,
    queueLength: queue.length,
    broken: () => broken,
    apply: (change, author, replace = false) => queue.add(change, author, replace),
    dialect: knownDialect,

    async preview(change) {
      const plan = change(accepted, now());
      if ('done' in plan) return { next: accepted, refusal: null };
      const { next, steps } = plan;
      try {
        assertPlanContained(plan, await knownDialect());
        await gateway.check(next, changedVhosts(steps));
        return { next, refusal: null };
      } catch (error) {
        const refusal = addressed(error, steps);
        if (isRejection(refusal)) return { next, refusal };
        throw refusal;
      }
    },

    isInStep,

    reconcile: () =>
      queue.between(async () => {
        const status = await proxyStatus();
        // A first publish may have gone live without being recorded; anything else is not ours.
        const ours = store.hasPublished() || (store.hasAttempted() && status.liveDigest !== null);
        if (!ours || (!unsure && isInStep(status))) return;
        await confirm();
      }),
  };
}

const importFirst = () =>
  new Failure(
    'IMPORT_FIRST',
    'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );
