/** Remembers the Caddyfile that was checked last, so that the reload that follows need not check it again. */
import type { JsonObject } from './json.ts';

/** A text, what was validated instead of it, and the program that did; null if it is not known. */
export type CheckedKey = { text: string; probe: string | undefined; program: string | null };

type Checked = {
  /** @param config what `text` was adapted to */
  keep(key: CheckedKey, config: JsonObject): void;
  /** What that text was adapted to; null if it was not checked like this. Only once. */
  take(key: CheckedKey): JsonObject | null;
};

/** A hub that checks on several agents loads once the slowest of them has answered. */
const KEPT_MS = 60_000;

export function createChecked(): Checked {
  let last: (CheckedKey & { config: JsonObject }) | null = null;
  let timer: Timer | undefined;

  function forget(): void {
    clearTimeout(timer);
    last = null;
  }

  return {
    keep(key, config) {
      forget();
      last = { ...key, config };
      timer = setTimeout(forget, KEPT_MS);
      timer.unref();
    },
    take({ text, probe, program }) {
      if (last?.text !== text || last.probe !== probe || last.program !== program) return null;
      const { config } = last;
      forget();
      return config;
    },
  };
}
