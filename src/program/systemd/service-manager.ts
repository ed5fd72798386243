/** Tells systemd how the program is doing (sd_notify(3), sd_watchdog_enabled(3)). */
import type { Log } from '../../shared/log.ts';
import type { Env } from '../settings-reader.ts';

export type ServiceManagerDeps = {
  env: Env;
  pid: number;
  /** @throws Error where it cannot be sent */
  send: (socket: string, text: string) => void;
  log: Log;
};

/** Where nothing has asked to be told, nothing is ever sent. */
export function createServiceManager({ env, pid, send, log }: ServiceManagerDeps) {
  const socket = env.NOTIFY_SOCKET;
  // Other kinds of addresses are for virtual machines.
  const asked = socket !== undefined && /^[/@]./.test(socket);
  let timer: ReturnType<typeof setInterval> | undefined;

  function tell(...lines: string[]): void {
    if (!asked) return;
    try {
      send(socket, `${lines.join('\n')}\n`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log('service manager not told', { what: lines[0], reason }, 'warn');
    }
  }

  return {
    /** From now on it serves: signs of life follow, at half of the time that systemd waits for one. */
    ready(status: string): void {
      tell('READY=1', `STATUS=${status}`);
      const period = watchdogPeriod(env, pid);
      // The timer is of the loop that answers requests: where that hangs, the signs end.
      if (asked && period !== null) timer = setInterval(() => tell('WATCHDOG=1'), period / 2);
    },
    /** Signs of life go on: what is under way may take its time. */
    stopping: (): void => tell('STOPPING=1'),
    close: (): void => clearInterval(timer),
  };
}

/** Milliseconds after which systemd ends a program that was silent; null where it does not. */
function watchdogPeriod({ WATCHDOG_USEC, WATCHDOG_PID }: Env, pid: number): number | null {
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid)) return null;
  const period = Number(WATCHDOG_USEC) / 1_000;
  return period >= 1 ? period : null;
}
