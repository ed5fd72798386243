/** Brings the proxy back in step with what is stored: at start-up, and whenever the two differ. */
import { messageOf } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import type { Publisher } from './publisher.ts';

const EVERY_MS = 2_000;

export type Reconciler = {
  /** Resolves once a check that is under way has ended. */
  stop(): Promise<void>;
};

/**
 * Checks at once, and then again some time after each check. Logs a failure unless the check before
 * failed for the same reason.
 */
export function startReconciler(publisher: Publisher, log: Log): Reconciler {
  let stopped = false;
  let timer: Timer | undefined;
  let lastReason = '';

  async function check(): Promise<void> {
    try {
      await publisher.reconcile();
      lastReason = '';
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== lastReason) log('not in step', { reason }, 'warn');
      lastReason = reason;
    }
    if (!stopped) timer = setTimeout(() => (running = check()), EVERY_MS);
  }

  let running = check();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
