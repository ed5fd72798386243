/** Whether the port is open at which visitors reach a site, and who keeps Caddy from it. */
import type { ListenerFound } from '../../../src/features/explain/wire.ts';
import type { Closed } from '../../../src/shared/wire/proxy.ts';
import { type Listener, nameOf } from '../../caddy/ports/ports.ts';
import { listeningInodes } from '../../caddy/ports/sockets.ts';

const UNKNOWN: ListenerFound = { state: 'unknown', reason: null };

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
