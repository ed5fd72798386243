/** Who has ports 80 and 443, and whether the proxy may open them. */
import type { Json } from '../../src/shared/json.ts';
import { type Holder, type PortState, STANDARD_PORTS } from '../../src/shared/wire/proxy.ts';
import type { Admin } from './admin.ts';
import { isForbidden, listenersOf } from './ports/ports.ts';
import { holdersOf, listeningInodes, socketsOf } from './ports/sockets.ts';
import type { Watch } from './watch.ts';

type StandardPortsDeps = {
  admin: Pick<Admin, 'config'>;
  watch: Pick<Watch, 'liveId'>;
  /** The pid of a managed proxy; null if it is not running, or another program runs it. */
  pid: () => number | null;
};

/** @returns a function that looks at both ports, without opening them; it never fails */
export function createStandardPorts({ admin, watch, pid }: StandardPortsDeps) {
  const held = new Map<number, { inodes: readonly string[]; holders: Holder[] }>();
  let live: { id: string; ports: ReadonlySet<number> } | null = null;

  /** The ports of the live configuration; none if the proxy does not answer. */
  async function livePorts(): Promise<ReadonlySet<number>> {
    try {
      const id = await watch.liveId();
      if (id !== null && live?.id === id) return live.ports;
      const listeners = listenersOf(JSON.parse(await admin.config()) as Json);
      const ports = new Set(listeners.map(({ port }) => port));
      live = id === null ? null : { id, ports };
      return ports;
    } catch {
      return new Set();
    }
  }

  /** All processes are looked at only when a port has changed hands: that takes many milliseconds. */
  function holdersOfPort(port: number, inodes: readonly string[]): Holder[] {
    const last = held.get(port);
    if (
      last?.inodes.join() === inodes.join() &&
      last.holders.every(({ pid }) => hasOne(pid, inodes))
    ) {
      return last.holders;
    }
    const holders = holdersOf(port, 'tcp');
    held.set(port, { inodes, holders });
    return holders;
  }

  async function stateOf(port: number): Promise<PortState> {
    const inodes = listeningInodes(port);
    if (inodes.length === 0) {
      return { port, state: isForbidden(port, pid()) ? 'forbidden' : 'free', holders: [] };
    }
    if ((await livePorts()).has(port)) return { port, state: 'own', holders: [] };
    return { port, state: 'held', holders: holdersOfPort(port, inodes) };
  }

  return (): Promise<PortState[]> => Promise.all(Object.values(STANDARD_PORTS).map(stateOf));
}

/** Whether a process still has one of these sockets. */
function hasOne(pid: number, inodes: readonly string[]): boolean {
  try {
    const own = socketsOf(pid);
    return inodes.some((inode) => own.has(inode));
  } catch {
    return false;
  }
}
