/** Opens closed listeners as soon as that is possible. */
import { messageOf } from '../../src/shared/async.ts';
import type { Log } from '../../src/shared/log.ts';
import type { Pace } from '../pace.ts';
import type { Reload } from './reload.ts';

export type Reopener = {
  /** Resolves once an attempt that is under way has ended. */
  stop(): Promise<void>;
};

/** Tries at once, and then again some time after each attempt. */
export function startReopener(
  { reopen }: Pick<Reload, 'reopen'>,
  log: Log,
  { every, longest }: Pace['reopen'],
): Reopener {
  let stopped = false;
  let timer: Timer | undefined;
  let pause = every;
  let lastReason = '';

  function failed(error: unknown): false {
    const reason = messageOf(error);
    if (reason !== lastReason) log('listeners not opened', { reason }, 'warn');
    lastReason = reason;
    return false;
  }

  async function attempt(): Promise<void> {
    const isWell = await reopen().catch(failed);
    if (isWell) lastReason = '';
    pause = isWell ? every : Math.min(pause * 2, longest);
    if (!stopped) timer = setTimeout(() => (running = attempt()), pause);
  }

  let running = attempt();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
