/** Checks sites of the live configuration through the proxy itself. */
import type { ChecksRequest, CheckTarget } from '../../../src/shared/wire-check.ts';
import type { LiveSite } from '../live-sites.ts';
import { nameOf } from '../live-sites.ts';
import { reachable } from '../proxy-state.ts';
import type { Place } from './ask.ts';
import type { CheckAnswer } from './judge.ts';
import { runChecks } from './run.ts';
import { settled } from './settled.ts';

export type Checks = {
  /**
   * Asks for each check, in the order of the request.
   * @param signal aborted when nobody waits for the answer any more
   * @throws Failure PROXY_UNREACHABLE if it cannot tell what is live
   */
  run(request: ChecksRequest, signal: AbortSignal): Promise<CheckAnswer[]>;
};

/** @param live the sites of the live configuration @throws AdminUnreachable */
export function createChecks(live: () => Promise<readonly LiveSite[]>): Checks {
  return {
    async run({ checks, once = false }, signal) {
      const sites = await live().catch((error: unknown) => {
        throw reachable(error);
      });
      await settled(sites, new Set(checks.map(({ port }) => port)));
      return runChecks(checks, { placeOf: placesIn(sites), once, signal });
    },
  };
}

/** Finds where a name is served; otherwise says that it is not. */
export function placesIn(sites: readonly LiveSite[]): (target: CheckTarget) => Place | string {
  const places = new Map<string, Place>();
  for (const { name, listeners } of sites) {
    for (const { host, port, tls } of listeners) {
      const key = `${port} ${name}`;
      if (!places.has(key)) places.set(key, { host, port, tls, name });
    }
  }
  return ({ name, port }) =>
    places.get(`${port} ${nameOf(name)}`) ?? `Caddy does not serve this name on port ${port}`;
}
