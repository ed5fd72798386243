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

/** In milliseconds: the waits, and after how long it is over. */
export type ContentionPace = Readonly<{ first: number; longest: number; calm: number }>;

const WARNING =
  'Another program keeps replacing the configuration that this hub publishes: a second hub, a second agent, or something that uses Caddy’s admin endpoint. Switch it off. Until then this hub publishes again less and less often.';

/** @param clock milliseconds that never go back */
export function createContention(
  { first, longest, calm }: ContentionPace,
  clock = () => performance.now(),
): Contention {
  let times = 0;
  let last = Number.NEGATIVE_INFINITY;

  /** How often in a row. */
  function count(): number {
    if (clock() - last > calm) times = 0;
    return times;
  }

  return {
    isWaiting() {
      const beyond = count() - PATIENCE;
      return beyond >= 0 && clock() - last < Math.min(first * 2 ** beyond, longest);
    },
    replaced() {
      times = count() + 1;
      last = clock();
    },
    warning: () => (count() < PATIENCE ? null : WARNING),
  };
}
