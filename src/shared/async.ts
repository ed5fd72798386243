/** Waiting, in one way everywhere: one job after the other, deadlines, and streams that can be ended. */
import { fileErrorOf } from './file-errors.ts';

/** Runs jobs one at a time, in the order they came in; a job that fails does not stop the next. */
export type Queue = <T>(job: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const result = last.then(job);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Runs jobs at once, but some of them alone: those that came before end first, those that come later wait. */
export function createGate(): { shared: Queue; alone: Queue } {
  const running = new Set<Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    shared(job) {
      const result = last.then(job);
      const ended = result.catch(() => undefined).finally(() => running.delete(ended));
      running.add(ended);
      return result;
    },
    alone(job) {
      const result = Promise.all([last, ...running]).then(job);
      last = result.catch(() => undefined);
      return result;
    },
  };
}

/**
 * `load` for many callers: those that come while it runs share the next run, which begins after they asked.
 * One at a time.
 */
export function shareNext<T>(load: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const own = load();
      running = own.catch(() => undefined);
      return own;
    });
    return next;
  };
}

/** Waits until none is pending. @throws the first failure in their order */
export async function settleAll(promises: readonly unknown[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/**
 * Runs one step after the other, also after one that fails: what stops a service must not keep the
 * next from being stopped.
 * @throws the first failure, once all have run
 */
export async function runAll(...steps: readonly (() => unknown)[]): Promise<void> {
  const outcomes: Promise<unknown>[] = [];
  for (const step of steps) {
    const outcome = (async () => step())();
    outcomes.push(outcome);
    await Promise.allSettled([outcome]);
  }
  await settleAll(outcomes);
}

/** How long a computation goes on before others get a turn, in milliseconds. */
const TURN_MS = 15;

/**
 * Lets others have a turn during a long computation: await the result after each of its steps. Most
 * of the time that costs next to nothing.
 * @param turn milliseconds
 */
export function createPauses(turn = TURN_MS): () => Promise<void> | undefined {
  let from = performance.now();
  return () => {
    if (performance.now() - from < turn) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        from = performance.now();
        resolve();
      });
    });
  };
}

/**
 * What `promise` brings, or what `late` returns (or throws) if that takes longer.
 * @param milliseconds how long to wait
 */
export async function within<T, L>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => L,
): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), milliseconds);
  try {
    const first = await Promise.race([promise, timeout]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol('late');

/** Where a stream's bytes come from. */
type StreamSource = {
  /** Sent first, at once: the headers go out with it. */
  head?: Uint8Array;
  /** The next piece, undefined at the end. @throws what the stream's reader is to see */
  next(): Promise<Uint8Array | undefined>;
  /** Releases what the source holds. May be called more than once. */
  stop(): void;
};

/** Streams that can all be ended from outside, as a server that stops has to. */
export type EndableStreams = {
  /** A stream of what `source` brings, piece by piece as they are read. */
  open(source: StreamSource): ReadableStream<Uint8Array>;
  /**
   * Ends all streams, and any that is opened later at once.
   * @returns how many have a reader that has stopped reading and may never see the end
   */
  end(): number;
  /** How many are open. */
  count(): number;
};

export function createEndableStreams(): EndableStreams {
  const open = new Set<() => boolean>();
  let isOver = false;

  return {
    open({ head, next, stop }) {
      let isPulled = false;
      let end = () => false;
      const finish = () => {
        open.delete(end);
        stop();
      };
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            end = () => {
              finish();
              // A reader that has not asked for more may never do so; waiting for it holds up a stop.
              if (!isPulled) controller.error(new Error('the server is stopping'));
              return !isPulled;
            };
            if (isOver) stop();
            else open.add(end);
            if (head) controller.enqueue(head);
          },
          async pull(controller) {
            isPulled = true;
            try {
              const piece = await next();
              if (piece !== undefined) return controller.enqueue(piece);
              finish();
              controller.close();
            } catch (fault) {
              finish();
              controller.error(fault);
            } finally {
              isPulled = false;
            }
          },
          cancel: finish,
        },
        { highWaterMark: 0 },
      );
    },
    count: () => open.size,
    end() {
      isOver = true;
      return [...open].filter((end) => end()).length;
    },
  };
}

/** The sentence an error carries, without its class; for an error of the file system, in words. */
export const messageOf = (error: unknown): string =>
  fileErrorOf(error) ?? (error instanceof Error ? error.message : String(error));

/** Keeps long work within a time limit and from blocking the rest of the program. */
export type Deadline = {
  hasPassed(): boolean;
  /** Lets other work of the program run if this work has kept it waiting. */
  yieldTurn(): Promise<void> | undefined;
};

/** Together with the work on one block this stays well under the 20 ms that others may wait. */
const SHORT_TURN_MS = 8;

/** @param milliseconds from now until the deadline; may be infinite */
export function createDeadline(milliseconds: number): Deadline {
  const end = performance.now() + milliseconds;
  return { hasPassed: () => performance.now() >= end, yieldTurn: createPauses(SHORT_TURN_MS) };
}

type Options = {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that may wait; by default any number. */
  maxWaiting?: number;
  /** Makes the error for a job that may not wait. */
  full?: () => Error;
};

/** Runs a job when its turn comes. @throws what `full` makes if too many wait; else what `job` throws */
type ConcurrencyLimit = <T>(job: () => Promise<T>) => Promise<T>;

export function createConcurrencyLimit(options: Options): ConcurrencyLimit {
  const { concurrency, maxWaiting = Number.POSITIVE_INFINITY, full } = options;
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (job) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw full?.() ?? new Error('too many jobs are waiting');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await job();
    } finally {
      // Handing the slot over keeps newcomers from jumping the queue.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
