/** What the program and systemd tell each other (sd_notify(3), sd_watchdog_enabled(3)): how it is doing, and to stop. */
import { FFIType } from 'bun:ffi';
import { messageOf } from '../../shared/async.ts';
import { every, type Repeated } from '../../shared/every.ts';
import type { Log } from '../../shared/log.ts';
import { openLibc } from '../../shared/system/libc.ts';
import type { Env } from '../settings.ts';

export type ServiceManager = {
  /** It serves now. Keep-alives follow, two in each watchdog period. */
  ready: (status: string) => void;
  /** Keep-alives go on while it stops: what is in progress may take its time. */
  stopping: () => void;
  /** Ends the keep-alives. */
  end: () => void;
};

/** Sends nothing unless NOTIFY_SOCKET is set. @param send throws Error if it cannot be sent */
export function createServiceManager(
  env: Env,
  pid: number,
  send: (socket: string, text: string) => void,
  log: Log,
): ServiceManager {
  const socket = env.NOTIFY_SOCKET;
  // Other kinds of addresses are for virtual machines.
  const isWanted = socket !== undefined && /^[/@]./.test(socket);
  let keepAlives: Repeated | undefined;

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
      if (!isWanted || period === null) return;
      // They run in the event loop that answers requests: if that hangs, they end.
      const pause = period / 2;
      keepAlives = every({ pause, first: pause }, () => notify('WATCHDOG=1'));
      keepAlives.begin();
    },
    stopping: () => notify('STOPPING=1'),
    end: () => void keepAlives?.end(),
  };
}

/** How long systemd waits for a keep-alive before it kills the program, ms; null: it does not. */
function watchdogPeriod({ WATCHDOG_USEC, WATCHDOG_PID }: Env, pid: number): number | null {
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid)) return null;
  const period = Number(WATCHDOG_USEC) / 1_000;
  return period >= 1 ? period : null;
}

/** socket(2) and send(2), as Linux defines them on x86-64 and arm64. */
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const MSG_NOSIGNAL = 0x4000;

/** Opened with the first datagram: most runs of the program send none. */
let library: ReturnType<typeof openLibrary> | undefined;

/**
 * Through libc: Bun has no datagram sockets of that kind.
 * @param socket a path, or `@` and a name in the abstract namespace (sd_notify(3))
 * @throws Error if it cannot be sent
 */
export function sendDatagram(socket: string, text: string): void {
  library ??= openLibrary();
  const { socket: open, sendto, close } = library.symbols;
  const fd = open(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  if (fd < 0) throw new Error('cannot open a unix socket');
  try {
    const bytes = Buffer.from(text);
    const address = addressOf(socket);
    const sent = sendto(fd, bytes, bytes.length, MSG_NOSIGNAL, address, address.length);
    if (Number(sent) !== bytes.length) throw new Error('the socket did not accept the datagram');
  } finally {
    close(fd);
  }
}

/** A sockaddr_un (unix(7)): the family in two bytes, then the name, up to the address's length. */
function addressOf(socket: string): Buffer {
  const name = Buffer.from(socket);
  if (socket.startsWith('@')) name[0] = 0;
  return Buffer.concat([Buffer.from([AF_UNIX, 0]), name]);
}

const openLibrary = () =>
  openLibc({
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    sendto: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i64,
    },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  });

/**
 * Which signals stop the program: those of a service manager, of Ctrl-C, and of a terminal that is closed, unless the program was
 * started to go on then (`nohup`).
 * @param readFile @throws if it cannot be read
 */
export function stopSignals(readFile: (path: string) => string): NodeJS.Signals[] {
  return ignoresHangUp(readFile) ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Whether whoever started this process had it ignore SIGHUP, as proc(5) shows: the lowest bit. */
function ignoresHangUp(readFile: (path: string) => string): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFile('/proc/self/status')) ?? [];
    return /[13579bdf]$/.test(mask);
  } catch {
    return false;
  }
}
