/** Jobs that are done again and again, and the pauses before what failed is tried again. */

export type Repeated = {
  /** Does it for the first time. */
  begin(): void;
  /** Resolves when it is no longer under way. */
  end(): Promise<void>;
};

type Repeating = {
  /** Milliseconds from the end of each to the next, or what says so each time. */
  pause: number | (() => number);
  /** Milliseconds from `begin` to the first. */
  first?: number;
};

/** One at a time. @param job never fails */
export function every({ pause, first = 0 }: Repeating, job: () => unknown): Repeated {
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isEnded = false;

  async function run(): Promise<void> {
    await job();
    schedule(typeof pause === 'number' ? pause : pause());
  }
  function schedule(milliseconds: number): void {
    if (isEnded) return;
    timer = setTimeout(() => {
      running = run();
    }, milliseconds);
  }

  return {
    begin() {
      if (first > 0) schedule(first);
      else running = run();
    },
    async end() {
      isEnded = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Milliseconds until what failed is tried again: `first`, doubled with each further failure, up to `longest`.
 * @param failures in a row
 */
export const growing = (failures: number, first: number, longest: number): number =>
  Math.min(first * 2 ** Math.max(0, failures - 1), longest);
