/**
 * One queue: changes that wait while a publish is under way go out together in the next one.
 * Candidate set → render → the agent makes it live → commit. Nothing is stored before the proxy
 * has accepted it, so a refusal has nothing to undo.
 */
import { hasHeredocs } from '../../shared/caddyfile/dialect.ts';
import { Failure } from '../../shared/failure.ts';
import type { Log } from '../../shared/log.ts';
import { inRequests, requestIds } from '../../shared/observe/context.ts';
import { reasonOf } from '../../shared/observe/log.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { changedVhosts, isRejection, judge, type Planned, settle, type Waiting } from './batch.ts';
import { type Culprits, everybody, findCulprits } from './blame.ts';
import type { Author, Change } from './changes.ts';
import { assertAllContained } from './containment.ts';
import { type Blame, createGateway } from './gateway.ts';
import { createTeller, type PublishSeen } from './outcome.ts';
import type { Store } from './store.ts';
import type { Dialect, SiteSet } from './vhost.ts';

export type PublisherDeps = {
  store: Store;
  agent: AgentClient;
  now: () => Date;
  log: Log;
  /** Hears what became of each publish. */
  observe?: (seen: PublishSeen) => void;
  /** Folders whose files a config may import. */
  importDirs?: readonly string[];
};

export type Publisher = ReturnType<typeof createPublisher>;

/** When the last publish ended, how long it took, and how many changes went out with it. */
export type LastPublish = { at: Date; milliseconds: number; changes: number };

export function createPublisher({
  store,
  agent,
  now,
  log,
  observe = () => {},
  importDirs = [],
}: PublisherDeps) {
  const gateway = createGateway(agent);
  const begin = createTeller(log, observe);
  let accepted: SiteSet = store.load();
  let dialect: Dialect | undefined;
  let waiting: Waiting[] = [];
  /** Changes of the batch that is worked on. */
  let underWay = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** The agent did not say what became of a publish: it may still become live. */
  let unsure = false;
  let lastPublish: LastPublish | null = null;
  let broken: Blame[] = [];

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result;
  }

  async function proxyStatus(): Promise<ProxyStatus> {
    const status = await agent.status();
    dialect = { heredocs: hasHeredocs(status.proxy.version), importDirs };
    return status;
  }

  /** Requests that have arrived together are read one after the other: while more come, it waits. */
  async function allHeard(): Promise<void> {
    for (let heard = 0; heard < waiting.length; ) {
      heard = waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
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

  /** Publishes what waits, and again without those that are to blame, until nothing is left. */
  async function work(items: readonly Waiting[]): Promise<void> {
    let open = items;
    while (open.length > 0) {
      const at = now();
      const judged = judge(accepted, open, at);
      if (judged.plans.length === 0) return settle(judged);
      const group = open.slice(0, open.length - judged.later.length);
      const refused = (await refusedBeforehand(judged.plans)) ?? (await publish(judged.plans, at));
      if (refused === 'together') {
        const middle = group.length >> 1;
        await work(group.slice(0, middle));
        open = open.slice(middle);
      } else if (refused.size === 0) {
        settle(judged);
        open = judged.later;
      } else {
        for (const [item, error] of refused) item.reject(error);
        open = open.filter((item) => !refused.has(item));
      }
    }
  }

  /** What needs no look at the proxy's answer; null where nothing is refused. */
  async function refusedBeforehand(
    plans: readonly Planned[],
  ): Promise<Map<Waiting, unknown> | null> {
    const refused = new Map<Waiting, unknown>();
    const known = await knownDialect();
    for (const { item, plan } of plans) {
      try {
        assertAllContained(plan, known);
      } catch (error) {
        refused.set(item, error);
      }
    }
    if (refused.size === 0 && !store.hasPublished()) await refuseForeign(plans, refused);
    return refused.size === 0 ? null : refused;
  }

  /** Before its first publish the hub does not replace sites that somebody else wrote. */
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

  /** @returns the changes that are to blame, none where all is live and recorded */
  async function publish(plans: readonly Planned[], at: Date): Promise<Culprits> {
    const next = plans.at(-1)?.plan.next ?? accepted;
    const from = performance.now();
    const tell = begin(plans.length);
    try {
      await gateway.publish(next, changedVhosts(plans));
    } catch (error) {
      tell({ thrown: error });
      if (error instanceof Failure && error.code === 'AGENT_UNREACHABLE') unsure = true;
      return findCulprits(gateway, plans, next, error);
    }
    try {
      store.commit(plans, at);
    } catch (error) {
      // The proxy has it and the database cannot take it: the proxy goes back too.
      log('commit failed', { reason: reasonOf(error) }, 'error');
      tell({ thrown: error });
      unsure = true;
      await confirm().catch(() => undefined);
      return everybody(plans, error);
    }
    tell();
    accepted = next;
    broken = [];
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return new Map();
  }

  /** Publishes the stored set again and waits for the agent's word. @throws Failure */
  async function confirm(): Promise<void> {
    const tell = begin(0);
    try {
      await gateway.publish(accepted);
    } catch (error) {
      tell({ thrown: error });
      if (isRejection(error)) {
        const enabled = accepted.vhosts.filter((vhost) => vhost.enabled);
        broken = await gateway.findBroken(accepted, enabled);
      }
      throw error;
    }
    tell();
    unsure = false;
    broken = [];
  }

  return {
    /** What is accepted and stored. */
    current: (): SiteSet => accepted,
    lastPublish: (): LastPublish | null => lastPublish,
    /** Changes that have no answer yet. */
    queueLength: (): number => waiting.length + underWay,
    /** Stored vhosts that the proxy takes no longer. */
    broken: (): readonly Blame[] => broken,

    /**
     * @param replace whether sites that somebody else wrote may be replaced by the first change
     * @returns the change's result once it is live and recorded
     * @throws Failure with everything as it was before
     */
    apply<T>(change: Change<T>, author: Author, replace = false): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          change,
          author,
          replace,
          resolve: resolve as (result: unknown) => void,
          reject,
          requestIds: requestIds(),
        });
        if (waiting.length > 1) return;
        void inTurn(async () => {
          await allHeard();
          const batch = waiting;
          waiting = [];
          underWay = batch.length;
          const ids = batch.flatMap((item) => item.requestIds);
          await inRequests(ids, () => work(batch)).catch((error) => {
            for (const item of batch) item.reject(error);
          });
          underWay = 0;
        });
      });
    },

    /** The proxy's dialect; the careful one where nobody can be asked. */
    dialect: knownDialect,

    /** @throws Failure PROXY_REJECTED where a vhost of the set would reach outside its block */
    async assertContained(set: SiteSet): Promise<void> {
      const steps = set.vhosts.map(
        (after) => ({ kind: 'vhost', action: 'create', before: null, after }) as const,
      );
      assertAllContained({ next: set, steps, result: null }, await knownDialect());
    },

    /**
     * What a change would do, judged by the real proxy, with nothing changed anywhere.
     * @returns the set it leads to, and why it would be refused, or null
     * @throws Failure where the change itself makes no sense, or nobody can be asked
     */
    async preview(change: Change<unknown>): Promise<{ next: SiteSet; refusal: Failure | null }> {
      const plan = change(accepted, now());
      if ('done' in plan) return { next: accepted, refusal: null };
      const { next } = plan;
      const plans = [{ item: NOBODY, plan }];
      try {
        assertAllContained(plan, await knownDialect());
        await gateway.check(next, changedVhosts(plans));
        return { next, refusal: null };
      } catch (error) {
        if (isRejection(error)) return { next, refusal: error };
        throw error;
      }
    },

    /** Whether proxy and file show what is stored; `status` as the agent told it. */
    isInStep,

    /** Publishes the stored set where the proxy serves another one. @throws Failure as apply */
    reconcile: (): Promise<void> =>
      inTurn(async () => {
        const status = await proxyStatus();
        // A first publish may have become live without being recorded; anything else is not ours.
        const ours = store.hasPublished() || (store.hasAttempted() && status.liveDigest !== null);
        if (!ours || (!unsure && isInStep(status))) return;
        await confirm();
      }),
  };
}

/** Stands for a change that nobody waits for. */
const NOBODY: Waiting = {
  change: () => ({ done: null }),
  author: { userId: '', userName: '', via: null },
  replace: false,
  resolve: () => {},
  reject: () => {},
  requestIds: [],
};

const importFirst = () =>
  new Failure(
    'IMPORT_FIRST',
    'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );
