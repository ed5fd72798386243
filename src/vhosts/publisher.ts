/**
 * One queue: changes that wait while a publish is under way go out together in the next one.
 * Candidate set → render → the agent makes it live → commit. Nothing is stored before the proxy
 * has accepted it, so a refusal has nothing to undo.
 */
import { Failure } from '../../agent/failure.ts';
import type { ProxyStatus } from '../../agent/wire.ts';
import type { AgentClient } from '../agent-client.ts';
import type { Log } from '../log.ts';
import {
  changedVhosts,
  isRejection,
  judge,
  type Planned,
  planOf,
  settle,
  type Waiting,
} from './batch.ts';
import type { Change, Plan } from './changes.ts';
import { type Blame, blamedBy, createGateway } from './gateway.ts';
import type { Author, Store } from './store.ts';
import { assertContained, type Dialect, type SiteSet } from './vhost.ts';

export type PublisherDeps = {
  store: Store;
  agent: AgentClient;
  now: () => Date;
  log: Log;
  /** Folders whose files a config may import. */
  importDirs?: readonly string[];
};

export type Publisher = ReturnType<typeof createPublisher>;

/** When the last publish ended, how long it took, and how many changes went out with it. */
export type LastPublish = { at: Date; milliseconds: number; changes: number };

/** Caddy knows heredocs since 2.7. */
const HEREDOCS_SINCE = [2, 7] as const;

export function createPublisher({ store, agent, now, log, importDirs = [] }: PublisherDeps) {
  const gateway = createGateway(agent);
  let accepted: SiteSet = store.load();
  let dialect: Dialect | undefined;
  let waiting: Waiting[] = [];
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
    dialect = { ...dialectOf(status.proxy.version), importDirs };
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
  async function publish(
    plans: readonly Planned[],
    at: Date,
  ): Promise<Map<Waiting, unknown> | 'together'> {
    const next = plans.at(-1)?.plan.next ?? accepted;
    const from = performance.now();
    try {
      await gateway.publish(next, changedVhosts(plans));
    } catch (error) {
      return blame(plans, next, error);
    }
    try {
      store.commit(plans, at);
    } catch (error) {
      // The proxy has it and the database cannot take it: the proxy goes back too.
      log('commit failed', { reason: String(error) });
      unsure = true;
      await confirm().catch(() => undefined);
      return everybody(plans, error);
    }
    accepted = next;
    broken = [];
    lastPublish = { at: now(), milliseconds: performance.now() - from, changes: plans.length };
    return new Map();
  }

  /** Who of a refused group is at fault: by the line, else each by itself, else only together. */
  async function blame(
    plans: readonly Planned[],
    next: SiteSet,
    error: unknown,
  ): Promise<Map<Waiting, unknown> | 'together'> {
    if (error instanceof Failure && error.code === 'AGENT_UNREACHABLE') unsure = true;
    if (!isRejection(error)) return everybody(plans, error);
    const place = blamedBy(error);
    if (place !== undefined) {
      const culprit = place === null ? undefined : planOf(plans, place);
      return culprit
        ? new Map([[culprit.item, named(error, culprit, next, place)]])
        : everybody(plans, error);
    }
    const [only] = plans;
    if (plans.length === 1 && only) return new Map([[only.item, await explain(only, next, error)]]);
    const alone = await gateway.findBroken(next, changedVhosts(plans) ?? []);
    if (alone.length === 0) return 'together';
    return new Map(
      alone.flatMap(({ vhost, failure }) => {
        const culprit = planOf(plans, vhost.id);
        return culprit ? [[culprit.item, failure] as const] : [];
      }),
    );
  }

  /** A refusal without a line may come from a vhost that was taken once and no longer is. */
  async function explain({ plan }: Planned, next: SiteSet, error: Failure): Promise<unknown> {
    const own = new Set(plan.steps.map((step) => step.kind === 'vhost' && step.after?.id));
    const others = next.vhosts.filter(
      ({ id, enabled }) => enabled && (!own.has(id) || own.size > 1),
    );
    const [first] = await gateway.findBroken(next, others).catch(() => []);
    if (!first) return error;
    const detail = `in ${first.vhost.domain}: ${first.failure.detail ?? ''}`;
    return new Failure(error.code, error.message, { detail });
  }

  /** Publishes the stored set again and waits for the agent's word. @throws Failure */
  async function confirm(): Promise<void> {
    try {
      await gateway.publish(accepted);
    } catch (error) {
      if (isRejection(error)) {
        const enabled = accepted.vhosts.filter((vhost) => vhost.enabled);
        broken = await gateway.findBroken(accepted, enabled);
      }
      throw error;
    }
    unsure = false;
    broken = [];
    log('published again', { digest: gateway.digestOf(accepted) });
  }

  return {
    /** What is accepted and stored. */
    current: (): SiteSet => accepted,
    lastPublish: (): LastPublish | null => lastPublish,
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
        });
        if (waiting.length > 1) return;
        void inTurn(async () => {
          const batch = waiting;
          waiting = [];
          await work(batch).catch((error) => {
            for (const item of batch) item.reject(error);
          });
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
};

/** A change of several vhosts hears which one is meant. */
function named(error: Failure, { plan }: Planned, next: SiteSet, id: number | null): Failure {
  const vhost = next.vhosts.find((one) => one.id === id);
  if (plan.steps.length < 2 || !vhost) return error;
  const detail = `in ${vhost.domain}, ${error.detail ?? ''}`;
  return new Failure(error.code, error.message, { detail });
}

/** Also what a preamble changes for the others: a snippet that goes leaves a file's import behind. */
function assertAllContained({ next, steps }: Plan<unknown>, dialect: Dialect): void {
  const preambleChanges = steps.some(({ kind }) => kind === 'preamble');
  const after = steps.flatMap((step) => (step.kind === 'vhost' && step.after ? [step.after] : []));
  const others = preambleChanges ? next.vhosts.filter(({ enabled }) => enabled) : [];
  const alone = !preambleChanges && after.length === 1;
  for (const vhost of new Set([...after, ...others])) {
    try {
      assertContained(vhost, next.preamble, dialect);
    } catch (error) {
      if (alone || !(error instanceof Failure)) throw error;
      const detail = `in ${vhost.domain}, ${error.detail ?? ''}`;
      throw new Failure(error.code, error.message, { detail });
    }
  }
}

const everybody = (plans: readonly Planned[], error: unknown) =>
  new Map(plans.map(({ item }) => [item, error] as const));

const importFirst = () =>
  new Failure(
    'IMPORT_FIRST',
    'The proxy serves sites that signalbox did not write: import them, or repeat the change with ?replace=true.',
  );

function dialectOf(version: string | null): Dialect {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [sinceMajor, sinceMinor] = HEREDOCS_SINCE;
  return { heredocs: major > sinceMajor || (major === sinceMajor && minor >= sinceMinor) };
}
