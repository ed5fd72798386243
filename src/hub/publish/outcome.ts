/** What became of a publish, for the log and for the numbers. */
import { Failure } from '../../shared/failure.ts';
import type { Log } from '../../shared/log.ts';

/** `unknown`: the agent did not say; `failed`: proxy and agent are there, the rest is not. */
export const OUTCOMES = ['accepted', 'rejected', 'unreachable', 'unknown', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `changes`: how many went out together; 0 where the stored set was published again. */
export type PublishSeen = { outcome: Outcome; milliseconds: number; changes: number };

const BY_CODE: Partial<Record<string, Outcome>> = {
  PROXY_REJECTED: 'rejected',
  PROXY_UNREACHABLE: 'unreachable',
  AGENT_UNREACHABLE: 'unknown',
};

const codeOf = (error: unknown) => (error instanceof Failure ? error.code : 'INTERNAL');

/**
 * Begins to time a publish of `changes`; the answer ends it, with what it failed with or nothing.
 * Of a refusal the log has the code alone: the proxy's words quote the config.
 */
export function createTeller(log: Log, observe: (seen: PublishSeen) => void) {
  return (changes: number) => {
    const from = performance.now();
    return (error?: { thrown: unknown }): void => {
      const milliseconds = performance.now() - from;
      const code = error && codeOf(error.thrown);
      const outcome = code === undefined ? 'accepted' : (BY_CODE[code] ?? 'failed');
      observe({ outcome, milliseconds, changes });
      const fields = { outcome, code, changes, ms: Math.round(milliseconds * 10) / 10 };
      const expected = outcome === 'accepted' || outcome === 'rejected';
      log(changes === 0 ? 'published again' : 'publish', fields, expected ? 'info' : 'warn');
    };
  };
}
