/** Finds listeners that a failed start has left open. */
import type { Json } from './json.ts';
import { listenersOf } from './ports.ts';
import { portsOf } from './sockets.ts';

/**
 * Whether a failed start has left listeners: the process holds more sockets on the ports of
 * `wanted` or `refused` than `wanted` asks for. False if `/proc` does not say.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
function hasStrayListeners(pid: number, wanted: Json, refused: Json): boolean {
  const asked = new Map<number, number>();
  for (const { port } of listenersOf(refused)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, (asked.get(port) ?? 0) + 1);
  try {
    return (['tcp', 'udp'] as const).some((network) => {
      const ports = portsOf(pid, network);
      return [...asked].some(([port, most]) => ports.filter((one) => one === port).length > most);
    });
  } catch {
    return false;
  }
}

/** Caddy closes the listeners of a previous configuration in the background. */
const CLOSING_MS = 500;

/**
 * Whether stray listeners are still open after Caddy has had time to close them.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
export async function staysStray(pid: number, wanted: Json, refused: Json): Promise<boolean> {
  const until = Date.now() + CLOSING_MS;
  while (hasStrayListeners(pid, wanted, refused)) {
    if (Date.now() > until) return true;
    await Bun.sleep(20);
  }
  return false;
}
