/** Why the proxy itself may answer otherwise than its trial, if a check does not pass there. */
import { field, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import type { CheckTarget } from '../../../src/shared/wire/checks.ts';
import { listenersOf } from '../../caddy/ports/ports.ts';
import { reachable } from '../handshake.ts';
import { type LiveSite, liveSites, nameOf } from '../live-sites.ts';
import type { Dial } from '../live-upstreams.ts';
import { isAny, NO_CERTIFICATE_YET, ownAddress } from './ask.ts';
import { type CheckAnswer, placesIn } from './checks.ts';

/** The apps of Caddy that a trial has. */
const TRIED = ['http', 'tls', 'pki'];

/** As `doubtOf`, by what came. */
export const doubtAfter = ({ reason }: CheckAnswer): string | null =>
  reason === NO_CERTIFICATE_YET ? 'A trial signs its own certificates, and was too slow' : null;

/**
 * A sentence without a full stop; null if nothing speaks for another answer.
 * @param adapted the configuration that is tried
 */
export async function doubtOf(adapted: JsonObject, target: CheckTarget): Promise<string | null> {
  const sites = liveSites(adapted);
  const place = placesIn(sites)(target);
  if (typeof place === 'string') return null;
  const left = Object.keys(object(adapted.apps)).find((app) => !TRIED.includes(app));
  if (left !== undefined) return `A trial does without Caddy’s app ${left}`;
  // A trial listens on loopback, and is asked from there: a policy may go by the address.
  if (!isAny(place.host) && !isLoopback(place.host)) {
    return `A trial does not listen on ${place.host}`;
  }
  for (const { address, dial } of upstreamsOf(sites, target)) {
    if (dial && (await isOwn(dial, adapted))) {
      return `${address} is a listener of another site, which a trial does not open`;
    }
  }
  return null;
}

const upstreamsOf = (sites: readonly LiveSite[], { name, port }: CheckTarget) =>
  sites
    .filter((site) => site.name === nameOf(name) && site.ports.includes(port))
    .flatMap(({ upstreams }) => upstreams);

/** Whether the configuration itself listens there. */
async function isOwn({ place }: Dial, adapted: JsonObject): Promise<boolean> {
  if ('path' in place) {
    const servers = Object.values(object(field(adapted, 'apps', 'http', 'servers')));
    return servers.some((server) =>
      list(field(server, 'listen')).some((one) => String(one).startsWith(`unix/${place.path}`)),
    );
  }
  if (!listenersOf(adapted).some(({ port }) => port === place.port)) return false;
  return (await ownAddress(reachable(place.host))) !== null;
}
