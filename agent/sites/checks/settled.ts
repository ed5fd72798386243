/** Waits until the proxy has closed the listeners of its previous configuration. */
import { nameOf } from '../../caddy/ports.ts';
import { listeningInodes } from '../../caddy/sockets.ts';
import type { LiveSite } from '../live-sites.ts';

/** Longer, it is no previous listener: another program may share the port, on another address. */
const MOST_MS = 1_000;
const EVERY_MS = 5;

/**
 * Caddy opens a port once more for each configuration, and answers a load before it has closed the
 * previous socket; a connection that arrives there meanwhile may still be served by the previous
 * configuration. Waits for so many sockets at most as the live one asks for. Never rejects.
 */
export async function settled(
  sites: readonly LiveSite[],
  ports: ReadonlySet<number>,
): Promise<void> {
  const wanted = new Map<number, Set<string>>();
  for (const one of sites.flatMap(({ listeners }) => listeners)) {
    if (!ports.has(one.port)) continue;
    wanted.set(one.port, (wanted.get(one.port) ?? new Set()).add(nameOf(one)));
  }
  const until = performance.now() + MOST_MS;
  const isSettled = () => [...wanted].every(([port, names]) => countListening(port) <= names.size);
  while (!isSettled() && performance.now() < until) await Bun.sleep(EVERY_MS);
}

/** None if the kernel does not say. */
function countListening(port: number): number {
  try {
    return listeningInodes(port).length;
  } catch {
    return 0;
  }
}
