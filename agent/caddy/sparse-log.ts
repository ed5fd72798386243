/** Keeps what fails again and again from filling the log. */
import type { Log } from '../../src/shared/log.ts';

type SparseLog = {
  /** Logs the first lines, then no more than one each time. */
  say: Log;
  /** Starts over, and logs the last line if it was left out. */
  settle(): void;
};

/** Enough for two rounds of a process that starts and ends. */
const FIRST_LINES = 5;

/**
 * @param every milliseconds
 * @param now milliseconds on a clock that nobody sets
 */
export function createSparseLog(log: Log, every: number, now = () => performance.now()): SparseLog {
  let lines = 0;
  let lastAt = 0;
  let leftOut: Parameters<Log> | null = null;

  return {
    say(...line) {
      if (lines >= FIRST_LINES && now() - lastAt < every) {
        leftOut = line;
        return;
      }
      lines++;
      lastAt = now();
      leftOut = null;
      log(...line);
    },
    settle() {
      lines = 0;
      if (leftOut !== null) log(...leftOut);
      leftOut = null;
    },
  };
}
