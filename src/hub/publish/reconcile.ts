/** Brings each proxy back in step with what is stored: at start-up, and whenever the two differ. */
import { messageOf, settleAll } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import { labelOf } from '../model/agent.ts';
import type { Publisher } from './publisher.ts';

type Reconciler = {
  /** Resolves once the checks that are under way have ended. */
  stop(): Promise<void>;
};

/**
 * Checks each agent at once, and then again some time after each check of it. Logs a failure unless
 * the check before failed for the same reason.
 * @param every milliseconds from the end of a check to the next
 */
export function startReconciler(publisher: Publisher, log: Log, every: number): Reconciler {
  let stopped = false;
  const timers = new Map<number, Timer>();
  const running = new Map<number, Promise<void>>();
  const lastReasons = new Map<number, string>();

  async function check(id: number): Promise<void> {
    try {
      await publisher.reconcile(id);
      lastReasons.delete(id);
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== lastReasons.get(id)) log('not in step', { ...nameOf(id), reason }, 'warn');
      lastReasons.set(id, reason);
    }
    running.delete(id);
    timers.delete(id);
    const agents = stopped ? [] : publisher.agents.all();
    if (agents.some((agent) => agent.id === id)) {
      timers.set(
        id,
        setTimeout(() => begin(id), every),
      );
    }
    beginNew();
  }

  /** In the log, agents have names if there are several. */
  function nameOf(id: number) {
    const agent = labelOf(id, publisher.agents.all());
    return agent === undefined ? {} : { agent };
  }

  const begin = (id: number) => void running.set(id, check(id));

  function beginNew(): void {
    if (stopped) return;
    for (const { id } of publisher.agents.all()) {
      if (!running.has(id) && !timers.has(id)) begin(id);
    }
  }

  beginNew();
  return {
    async stop() {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await settleAll([...running.values()]);
    },
  };
}
