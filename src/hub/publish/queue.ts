/** The queue of changes: those that arrive during a publish go out together in the next one. */
import { createQueue, type Queue } from '../../shared/async.ts';
import { inRequests, requestIds } from '../../shared/observe/requests.ts';
import type { StillOpen } from '../../shared/wire/proxy.ts';
import type { KeptAnswer } from '../model/answers.ts';
import type { Author, Change } from '../model/changes.ts';
import type { SiteSet } from '../model/vhost.ts';

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

/** What the trial of a change has shown of a site. */
type Tried = {
  /** The name of the agent whose proxy would serve it. */
  agent: string;
  domain: string;
  /** How long its answer took, in milliseconds; undefined if it did not pass, or the agent does not say. */
  took: number | undefined;
  /** Why it could not be tried; null if it passed. */
  doubt: string | null;
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
  /** What its trial has shown, by `siteAt`. */
  tried: Map<string, Tried>;
  resolve: (applied: Applied<unknown>) => void;
  reject: (error: unknown) => void;
  /** The requests that wait for it, for the log. */
  requestIds: readonly string[];
};

/** What a caller demands of the publish. */
export type Demands = Partial<Pick<Waiting, 'replace' | 'requireAll' | 'unchecked' | 'answer'>>;

type ChangeQueue = {
  /**
   * Adds a change to the next batch.
   * @returns the change's result once it is live and recorded
   * @throws what the change was rejected with
   */
  add<T>(change: Change<T>, author: Author, demands: Demands): Promise<Applied<T>>;
  /** Runs a job between two batches. */
  between: Queue;
  /** Resolves once each change that was added has its outcome. */
  drained(): Promise<void>;
  /** How many changes have no outcome yet. */
  length(): number;
};

/** Requests that arrive together are read one after the other: waits until no more come in. */
async function untilAllArrived(waiting: readonly unknown[]): Promise<void> {
  for (let seen = 0; seen < waiting.length; ) {
    seen = waiting.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * @param publish called with one batch at a time: resolves or rejects its changes, or returns those that have to
 * wait for the next one
 */
export function createChangeQueue(
  publish: (batch: readonly Waiting[]) => Promise<readonly Waiting[]>,
): ChangeQueue {
  const between = createQueue();
  let waiting: Waiting[] = [];
  let length = 0;

  function enqueue(items: readonly Waiting[]): void {
    if (waiting.length === 0 && items.length > 0) void between(publishWaiting);
    waiting.push(...items);
  }

  async function publishWaiting(): Promise<void> {
    await untilAllArrived(waiting);
    const batch = waiting;
    waiting = [];
    const ids = batch.flatMap((item) => item.requestIds);
    const later = await inRequests(ids, () => publish(batch)).catch((error) => {
      for (const { reject } of batch) reject(error);
      return [];
    });
    enqueue(later);
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
        tried: new Map(),
        requestIds: requestIds(),
        reject,
        // The answer to a large change is made in another turn than its commit.
        resolve: (applied) => setImmediate(() => resolve(applied as Applied<T>)),
      };
      length++;
      enqueue([item]);
      return promise.finally(() => length--);
    },
    between,
    async drained() {
      do await between(async () => {});
      while (waiting.length > 0);
    },
    length: () => length,
  };
}
