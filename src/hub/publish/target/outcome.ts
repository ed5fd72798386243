/** The outcome of each publish, and of a change that its trial refuses, for the log and the metrics. */
import { Failure } from '../../../shared/failure.ts';
import type { Log } from '../../../shared/log.ts';

/** `unknown`: the agent gave no answer; `failed`: proxy and agent answered, something else failed. */
export const OUTCOMES = ['accepted', 'rejected', 'unreachable', 'unknown', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** `changes`: how many were published together; 0 if the stored set was published again. */
export type PublishSeen = { outcome: Outcome; milliseconds: number; changes: number };

const BY_CODE: Partial<Record<string, Outcome>> = {
  PROXY_REJECTED: 'rejected',
  CHECK_FAILED: 'rejected',
  PROXY_UNREACHABLE: 'unreachable',
  AGENT_UNREACHABLE: 'unknown',
};

const codeOf = (error: unknown) => (error instanceof Failure ? error.code : 'INTERNAL');

/**
 * Starts the clock for a publish of so many changes. The function it returns ends and reports it,
 * with what was thrown, if anything.
 */
export type PublishTimer = (changes: number) => (error?: { thrown: unknown }) => void;

/** Logs a refusal by its code alone, because the proxy's words quote the config. */
export function timePublishes(log: Log, observe: (seen: PublishSeen) => void): PublishTimer {
  return (changes) => {
    const from = performance.now();
    return (error) => {
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
