/** Opens closed listeners as soon as that is possible. */
import { messageOf } from '../../src/shared/async.ts';
import type { Log } from '../../src/shared/log.ts';
import type { Reload } from './reload.ts';

export type Reopener = {
  /** Resolves once an attempt that is under way has ended. */
  stop(): Promise<void>;
};

/** To see whether a port is free takes microseconds, and Caddy is only asked once it is. */
const EVERY_MS = 1_000;
/** For a port that Caddy cannot open although it is free: each attempt may cost a restart. */
const LONGEST_MS = 60_000;

/** Tries at once, and then again some time after each attempt. */
export function startReopener({ reopen }: Pick<Reload, 'reopen'>, log: Log): Reopener {
  let stopped = false;
  let timer: Timer | undefined;
  let pause = EVERY_MS;
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
    pause = isWell ? EVERY_MS : Math.min(pause * 2, LONGEST_MS);
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
