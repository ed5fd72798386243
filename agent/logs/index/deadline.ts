/** A deadline, and turns for others on the way to it. */
export type Patience = {
  /** Whether the time is up. */
  isOver(): boolean;
  /** Lets other work of the program run if it has had to wait for long. */
  breathe(): Promise<void>;
};

// Together with one block's work this stays well under the 20 ms that others may have to wait.
const STRETCH_MS = 8;

export function createPatience(milliseconds: number): Patience {
  const end = performance.now() + milliseconds;
  let last = performance.now();
  return {
    isOver: () => performance.now() >= end,
    async breathe() {
      if (performance.now() - last < STRETCH_MS) return;
      await new Promise(setImmediate);
      last = performance.now();
    },
  };
}
