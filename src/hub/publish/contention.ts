/** Notices that another program keeps replacing what this hub publishes, and gives way ever longer. */

export type Contention = {
  /** Whether to leave what the other one published live for now. */
  isWaiting(): boolean;
  /** Notes that what another program had loaded was replaced. */
  replaced(): void;
  warning(): string | null;
};

/** Someone who tries something by hand is not a second hub. */
const PATIENCE = 3;
const FIRST_WAIT_MS = 4_000;
const LONGEST_WAIT_MS = 60_000;
/** Longer than the longest wait: two that take turns are not calm. */
const CALM_MS = 600_000;

const WARNING =
  'Another program keeps replacing the configuration that this hub publishes: a second hub, a second agent, or something that uses Caddy’s admin endpoint. Switch it off. Until then this hub retries at growing intervals.';

/** @param clock milliseconds that never go back */
export function createContention(clock = () => performance.now()): Contention {
  let times = 0;
  let last = Number.NEGATIVE_INFINITY;

  /** How often in a row. */
  function count(): number {
    if (clock() - last > CALM_MS) times = 0;
    return times;
  }

  return {
    isWaiting() {
      const beyond = count() - PATIENCE;
      return beyond >= 0 && clock() - last < Math.min(FIRST_WAIT_MS * 2 ** beyond, LONGEST_WAIT_MS);
    },
    replaced() {
      times = count() + 1;
      last = clock();
    },
    warning: () => (count() < PATIENCE ? null : WARNING),
  };
}
