/** Keeps long work within a time limit and from blocking the rest of the program. */

export type Deadline = {
  hasPassed(): boolean;
  /** Lets other work of the program run if this work has kept it waiting. */
  yieldTurn(): Promise<void>;
};

/** Together with the work on one block this stays well under the 20 ms that others may wait. */
const TURN_MS = 8;

/** @param milliseconds from now until the deadline; may be infinite */
export function createDeadline(milliseconds: number): Deadline {
  const end = performance.now() + milliseconds;
  let turnStart = performance.now();
  return {
    hasPassed: () => performance.now() >= end,
    async yieldTurn() {
      if (performance.now() - turnStart < TURN_MS) return;
      await new Promise(setImmediate);
      turnStart = performance.now();
    },
  };
}
