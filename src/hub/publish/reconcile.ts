/** Brings each proxy back in step with what is stored: at start-up, and whenever the two differ. */
import { messageOf, settleAll } from '../../shared/async.ts';
import { every, type Repeated } from '../../shared/every.ts';
import type { Log } from '../../shared/log.ts';
import { labelOf } from '../model/agent.ts';
import type { Publisher } from './publisher.ts';

/**
 * Checks each agent at once, and then again some time after each check of it. Logs a failure unless
 * the check before failed for the same reason.
 * @param pause milliseconds from the end of a check to the next
 */
export function createReconciler(publisher: Publisher, log: Log, pause: number): Repeated {
  let isEnded = false;
  const checks = new Map<number, Repeated>();
  /** Of agents that are gone. */
  const ending: Promise<void>[] = [];
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
    follow();
  }

  /** In the log, agents have names if there are several. */
  function nameOf(id: number) {
    const agent = labelOf(id, publisher.agents.all());
    return agent === undefined ? {} : { agent };
  }

  /** Begins to check agents that are new, and no longer checks those that are gone. */
  function follow(): void {
    if (isEnded) return;
    const ids = publisher.agents.all().map(({ id }) => id);
    for (const [id, checked] of checks) {
      if (ids.includes(id)) continue;
      checks.delete(id);
      lastReasons.delete(id);
      ending.push(checked.end());
    }
    for (const id of ids) {
      if (checks.has(id)) continue;
      const checked = every({ pause }, () => check(id));
      checks.set(id, checked);
      checked.begin();
    }
  }

  return {
    begin: follow,
    async end() {
      isEnded = true;
      await settleAll([...ending, ...[...checks.values()].map((one) => one.end())]);
    },
  };
}
