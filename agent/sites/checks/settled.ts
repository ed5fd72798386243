/**
 * Whether only the live configuration can answer. Caddy opens a port once more for each configuration, and
 * answers a load before it has closed the previous socket; a connection that arrives there meanwhile is
 * still served by the previous configuration.
 */
import { isIP } from 'node:net';
import { nameOf } from '../../caddy/ports/ports.ts';
import { countReachable } from '../../caddy/ports/sockets.ts';
import type { LiveSite } from '../live-sites.ts';
import type { Settled } from './ask.ts';

/** Milliseconds between two looks at the kernel's tables; Caddy takes one, on an idle machine. */
const FIRST_MS = 5;
const LONGEST_MS = 100;

/** @param sites of the live configuration @param over aborted once nobody waits any more */
export function createSettled(sites: readonly LiveSite[], over: AbortSignal): Settled {
  const waiting = new Map<string, Promise<void>>();
  const listeners = sites.flatMap((site) => site.listeners);

  /** The sockets of the live configuration that a connection may reach; of a name, it may be this one. */
  function countOwn(host: string, port: number): number {
    const own = listeners.filter(
      (one) =>
        one.port === port &&
        (['', '0.0.0.0', '::', host].includes(one.host) || isIP(one.host) === 0),
    );
    return Math.max(1, new Set(own.map(nameOf)).size);
  }

  async function wait(host: string, port: number): Promise<void> {
    const most = countOwn(host, port);
    for (let pause = FIRST_MS; open(host, port) > most; pause = Math.min(2 * pause, LONGEST_MS)) {
      if (over.aborted) return;
      await Bun.sleep(pause);
    }
  }

  return (host, port) => {
    const key = `${host} ${port}`;
    const known = waiting.get(key) ?? wait(host, port);
    waiting.set(key, known);
    return known;
  };
}

/** None if the kernel does not say. */
function open(host: string, port: number): number {
  try {
    return countReachable(host, port);
  } catch {
    return 0;
  }
}
