/** The queue of changes: those that arrive during a publish go out together in the next one. */
import { createQueue, type Queue } from '../../shared/async.ts';
import { inRequests, requestIds } from '../../shared/observe/context.ts';
import type { StillOpen } from '../../shared/wire/proxy.ts';
import type { KeptAnswer } from '../model/answers.ts';
import type { Author, Change } from '../model/changes.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';

/** A change's result. */
export type Applied<T> = {
  result: T;
  /** Of its entries in the changelog; null if it changed nothing. */
  group: number | null;
  /** The names of the agents whose proxies lack it. */
  behind: readonly string[];
  /** Which connections outlive it, and the changes that went live with it. */
  open: readonly StillOpen[];
  /** Why sites could not be tried before it was live, by their domains: sentences without a full stop. */
  untried: ReadonlyMap<string, string>;
};

/** What the trial of a change has shown. */
export type Trial = {
  /** Why sites could not be tried, by the names of their agents and their domains. */
  untried: readonly (readonly [agent: string, domain: string, why: string])[];
  /** Of each site, by `triedAs`: how long its answer took, in milliseconds; null if it could not be tried. */
  took: ReadonlyMap<string, number | null>;
  /** As `Passing`, by the ids of the targets. */
  before: ReadonlyMap<number, ReadonlyMap<Vhost, boolean>>;
};

/** A change whose caller is waiting for the outcome. */
export type Waiting = {
  change: Change<unknown>;
  author: Author;
  /** Whether it may replace sites that this hub did not publish. */
  replace: boolean;
  /** Whether it is refused unless all agents that it concerns take it. */
  requireAll: boolean;
  /** Whether it is accepted however its sites answer: they were stored like this before. */
  unchecked: boolean;
  /** The answer to store with it, for a retry; null if it is not wanted. @param next with the change */
  answer: ((applied: Applied<unknown>, next: SiteSet) => KeptAnswer) | null;
  /** What its trial has shown; null if there was none. */
  trial: Trial | null;
  /** How often another change was live first, so that its trial said nothing any more. */
  overtaken: number;
  resolve: (applied: Applied<unknown>) => void;
  reject: (error: unknown) => void;
  /** The requests that wait for it, for the log. */
  requestIds: readonly string[];
};

/** What a caller demands of the publish. */
export type Demands = Partial<Pick<Waiting, 'replace' | 'requireAll' | 'unchecked' | 'answer'>>;

export type ChangeQueue = {
  /**
   * Adds a change to the next batch.
   * @returns the change's result once it is live and recorded
   * @throws what the change was rejected with
   */
  add<T>(change: Change<T>, author: Author, demands: Demands): Promise<Applied<T>>;
  /** Runs a job between two batches. */
  between: Queue;
  /** How many changes have no outcome yet. */
  length(): number;
};

/** Requests that arrive together are read one after the other: waits until no more come in. */
export async function untilAllArrived(waiting: readonly unknown[]): Promise<void> {
  for (let seen = 0; seen < waiting.length; ) {
    seen = waiting.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Adds a change to the next batch. Resolves when it has an outcome, or is to be tried again. */
export type GoOn = (item: Waiting) => Promise<void>;

/**
 * @param tryOut what each change goes through first; meanwhile, others may be published
 * @param publish called with one batch at a time: resolves or rejects its changes, or returns those that are
 * to be tried again
 */
export function createChangeQueue(
  tryOut: (item: Waiting, goOn: GoOn) => void,
  publish: (batch: readonly Waiting[]) => Promise<readonly Waiting[]>,
): ChangeQueue {
  const between = createQueue();
  let waiting: { item: Waiting; over: () => void }[] = [];
  let length = 0;

  function goOn(item: Waiting): Promise<void> {
    const { promise, resolve: over } = Promise.withResolvers<void>();
    waiting.push({ item, over });
    if (waiting.length === 1) void between(publishWaiting);
    return promise;
  }

  async function publishWaiting(): Promise<void> {
    await untilAllArrived(waiting);
    const batch = waiting;
    waiting = [];
    const items = batch.map(({ item }) => item);
    const ids = items.flatMap((item) => item.requestIds);
    const again = await inRequests(ids, () => publish(items)).catch((error) => {
      for (const { reject } of items) reject(error);
      return [];
    });
    for (const { over } of batch) over();
    for (const item of again) tryOut(item, goOn);
  }

  return {
    add<T>(change: Change<T>, author: Author, demands: Demands) {
      const { replace = false, requireAll = false, unchecked = false, answer = null } = demands;
      const { promise, resolve, reject } = Promise.withResolvers<Applied<T>>();
      const item: Waiting = {
        change,
        author,
        replace,
        requireAll,
        unchecked,
        answer,
        trial: null,
        overtaken: 0,
        requestIds: requestIds(),
        reject,
        // The answer to a large change is made in another turn than its commit.
        resolve: (applied) => setImmediate(() => resolve(applied as Applied<T>)),
      };
      length++;
      tryOut(item, goOn);
      return promise.finally(() => length--);
    },
    between,
    length: () => length,
  };
}
