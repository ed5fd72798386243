/** Tells systemd how the program is doing (sd_notify(3), sd_watchdog_enabled(3)). */
import { messageOf } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import type { Env } from '../settings.ts';

export type ServiceManagerDeps = {
  env: Env;
  pid: number;
  /** @throws Error if it cannot be sent */
  send: (socket: string, text: string) => void;
  log: Log;
};

export type ServiceManager = {
  /** It serves now. Keep-alives follow, two in each watchdog period. */
  ready: (status: string) => void;
  /** Keep-alives go on while it stops: what is in progress may take its time. */
  stopping: () => void;
  /** Ends the keep-alives. */
  close: () => void;
};

/** Sends nothing unless NOTIFY_SOCKET is set. */
export function createServiceManager({ env, pid, send, log }: ServiceManagerDeps): ServiceManager {
  const socket = env.NOTIFY_SOCKET;
  // Other kinds of addresses are for virtual machines.
  const isWanted = socket !== undefined && /^[/@]./.test(socket);
  let timer: ReturnType<typeof setInterval> | undefined;

  function notify(...lines: string[]): void {
    if (!isWanted) return;
    try {
      send(socket, `${lines.join('\n')}\n`);
    } catch (error) {
      log('service manager not notified', { what: lines[0], reason: messageOf(error) }, 'warn');
    }
  }

  return {
    ready(status) {
      notify('READY=1', `STATUS=${status}`);
      const period = watchdogPeriod(env, pid);
      // The timer runs in the event loop that answers requests: if that hangs, the keep-alives end.
      if (isWanted && period !== null) timer = setInterval(() => notify('WATCHDOG=1'), period / 2);
    },
    stopping: () => notify('STOPPING=1'),
    close: () => clearInterval(timer),
  };
}

/** How long systemd waits for a keep-alive before it kills the program, ms; null: it does not. */
function watchdogPeriod({ WATCHDOG_USEC, WATCHDOG_PID }: Env, pid: number): number | null {
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid)) return null;
  const period = Number(WATCHDOG_USEC) / 1_000;
  return period >= 1 ? period : null;
}
