/** Whether the port is open at which visitors reach a site, and who keeps Caddy from it. */
import type { ListenerFinding } from '../../../src/features/explain/wire.ts';
import type { Closed } from '../../../src/shared/wire/proxy.ts';
import { type Listener, nameOf } from '../../caddy/ports/ports.ts';
import { holdersOf, isSoleHolder, listeningInodes } from '../../caddy/ports/sockets.ts';

export const UNKNOWN: ListenerFinding = { state: 'unknown', reason: null };

/**
 * @param closed the listeners that the live configuration does without
 * @param isManaged whether the agent runs Caddy; what another program runs may be in another network namespace
 */
export function lookAtListener(
  listener: Listener,
  closed: readonly Closed[],
  isManaged: boolean,
): ListenerFinding {
  const unopened = closed.find(({ address }) => address === nameOf(listener));
  if (unopened) {
    const isHeld = unopened.reason.startsWith('held by');
    return { state: isHeld ? 'held' : 'closed', reason: unopened.reason };
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
): ListenerFinding {
  try {
    const finding = lookAtListener(listener, closed, false);
    if (finding.state !== 'open' || caddy === null)
      return finding.state === 'open' ? UNKNOWN : finding;
    const others = holdersOf(listener.port, 'tcp').filter(({ pid }) => pid !== caddy);
    const [first] = others;
    if (!first || isSoleHolder(caddy, listener.port)) return UNKNOWN;
    return { state: 'held', reason: `held by ${first.name} (process ${first.pid})` };
  } catch {
    return UNKNOWN;
  }
}
