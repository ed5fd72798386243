/** Remembers the Caddyfile that was checked last, so that the reload that follows need not check it again. */
import type { JsonObject } from './json.ts';

export type Checked = {
  /** @param config what `text` was adapted to @param probe what was validated instead of it */
  keep(text: string, probe: string | undefined, config: JsonObject): void;
  /** What that text was adapted to; null if it was not checked with that probe. Only once. */
  take(text: string, probe: string | undefined): JsonObject | null;
};

/** A hub that checks on several agents loads once the slowest of them has answered. */
const KEPT_MS = 60_000;

export function createChecked(): Checked {
  let last: { text: string; probe: string | undefined; config: JsonObject } | null = null;
  let timer: Timer | undefined;

  function forget(): void {
    clearTimeout(timer);
    last = null;
  }

  return {
    keep(text, probe, config) {
      forget();
      last = { text, probe, config };
      timer = setTimeout(forget, KEPT_MS);
      timer.unref();
    },
    take(text, probe) {
      if (last?.text !== text || last.probe !== probe) return null;
      const { config } = last;
      forget();
      return config;
    },
  };
}
