/** Brings the proxy back in step with what is stored: at start, and whenever it is found elsewhere. */
import type { Log } from '../../shared/log.ts';
import type { Publisher } from './publisher.ts';

const LOOK_MS = 2_000;

/** Looks at once and then every two seconds, until stopped. A failure is logged when it is a new one. */
export function startReconciler(publisher: Publisher, log: Log, every = LOOK_MS) {
  let stopped = false;
  let timer: Timer | undefined;
  let said = '';

  async function look(): Promise<void> {
    try {
      await publisher.reconcile();
      said = '';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== said) log('not in step', { reason }, 'warn');
      said = reason;
    }
    if (!stopped) timer = setTimeout(() => (running = look()), every);
  }

  let running = look();
  return {
    /** Resolves when a look under way is over. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
