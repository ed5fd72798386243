/** Keeps what fails again and again from filling the log. */
import type { Log } from '../../src/shared/log.ts';

export type SparseLog = {
  /** Logs the first lines, then at most one a minute. */
  say: Log;
  /** Starts over, and logs the last line if it was left out. */
  settle(): void;
};

/** Enough for two rounds of a process that starts and ends. */
const FIRST_LINES = 5;
const EVERY_MS = 60_000;

/** @param now milliseconds on a clock that nobody sets */
export function createSparseLog(log: Log, now = () => performance.now()): SparseLog {
  let lines = 0;
  let lastAt = 0;
  let leftOut: Parameters<Log> | null = null;

  return {
    say(...line) {
      if (lines >= FIRST_LINES && now() - lastAt < EVERY_MS) {
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
