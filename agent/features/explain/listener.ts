/** Whether the port is open at which visitors reach a site, and who keeps Caddy from it. */
import type { ListenerFound } from '../../../src/features/explain/wire.ts';
import type { Closed } from '../../../src/shared/wire/proxy.ts';
import { type Listener, nameOf } from '../../caddy/ports/ports.ts';
import { holdersOf, isSoleHolder, listeningInodes } from '../../caddy/ports/sockets.ts';

export const UNKNOWN: ListenerFound = { state: 'unknown', reason: null };

/**
 * @param closed the listeners that the live configuration does without
 * @param isManaged whether the agent runs Caddy; what another program runs may be in another network namespace
 */
export function lookAtListener(
  listener: Listener,
  closed: readonly Closed[],
  isManaged: boolean,
): ListenerFound {
  const found = closed.find(({ address }) => address === nameOf(listener));
  if (found) {
    const isHeld = found.reason.startsWith('held by');
    return { state: isHeld ? 'held' : 'closed', reason: found.reason };
  }
  try {
    if (listeningInodes(listener.port).length > 0) return { state: 'open', reason: null };
  } catch {
    return UNKNOWN;
  }
  return isManaged ? { state: 'closed', reason: 'nothing listens there' } : UNKNOWN;
}

/**
 * The same of a port that Caddy may open only later: whether another program has it.
 * @param caddy its pid; null if it is not known
 */
export function lookAtFutureListener(
  listener: Listener,
  closed: readonly Closed[],
  caddy: number | null,
): ListenerFound {
  try {
    const found = lookAtListener(listener, closed, false);
    if (found.state !== 'open' || caddy === null) return found.state === 'open' ? UNKNOWN : found;
    const others = holdersOf(listener.port, 'tcp').filter(({ pid }) => pid !== caddy);
    const [first] = others;
    if (!first || isSoleHolder(caddy, listener.port)) return UNKNOWN;
    return { state: 'held', reason: `held by ${first.name} (process ${first.pid})` };
  } catch {
    return UNKNOWN;
  }
}
