/** What the operator should know of the agent and its proxy right now: for the log, and for the status. */
import type { Log } from '../src/shared/log.ts';

export type Warnings = {
  /**
   * Adds, replaces or clears one warning; a new sentence is logged.
   * @param key what it is about
   * @param sentence for people, without paths of the host; null if there is nothing to warn of
   */
  set(key: string, sentence: string | null): void;
  /** The sentence about something; null if there is none. */
  get(key: string): string | null;
  /** All sentences, the oldest warning first. */
  list(): string[];
};

export function createWarnings(log: Log): Warnings {
  const sentences = new Map<string, string>();

  return {
    set(key, sentence) {
      if (sentence === null) {
        sentences.delete(key);
        return;
      }
      if (sentences.get(key) === sentence) return;
      sentences.set(key, sentence);
      log('warning', { warning: sentence }, 'warn');
    },

    get: (key) => sentences.get(key) ?? null,
    list: () => [...sentences.values()],
  };
}
