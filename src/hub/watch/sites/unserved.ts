/** Why enabled vhosts are not served, or not on all of their ports. */
import { type Failure, fullSentenceOf } from '../../../shared/failure.ts';
import type { ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { SiteState } from '../../../shared/wire/sites.ts';
import type { Agent } from '../../agents/agents.ts';
import { sentenceOfClosed } from '../../agents/proxy.ts';
import { setFor } from '../../model/applied.ts';
import { endpointsUnder, keyOfEndpoint } from '../../model/endpoints.ts';
import { isRejection, ofVhost } from '../../model/refusal.ts';
import type { Vhost } from '../../model/vhost.ts';
import type { Publisher } from '../../publish/publisher.ts';

/** Why a proxy refused what is stored as a whole; null if it did not. */
export const rejectionOf = (failure: Failure | null): string | null =>
  isRejection(failure) ? fullSentenceOf(failure) : null;

/** `ports`: those it waits for, because the proxy could not open them; none if the proxy refuses it. */
export type Unserved = { vhost: Vhost; detail: string; ports: readonly number[] };

/**
 * Those that an agent's proxy refuses, and those whose port it could not open. Never fails.
 * @param status as the agent reported it, null if it did not
 * @param sites as the agent reported them, if they are known
 */
export async function findUnserved(
  agent: Agent,
  publisher: Publisher,
  status: ProxyStatus | null,
  sites?: readonly SiteState[],
): Promise<Unserved[]> {
  const standing = publisher.standings().find((one) => one.agent.id === agent.id);
  const broken = (standing?.broken ?? []).map(({ vhost, failure }) => ({
    vhost,
    detail: fullSentenceOf(ofVhost(failure)),
    ports: [],
  }));
  const closed = (status?.closed ?? []).filter(({ address }) => !address.startsWith('udp/'));
  if (closed.length === 0) return broken;
  const live = sites ?? (await agent.client.sites().catch(() => ({ sites: [] }))).sites;
  const served = new Set(
    live.flatMap(({ name, ports }) => ports.map((port) => keyOfEndpoint({ name, port }))),
  );
  const reasons = Map.groupBy(closed, ({ port }) => port);
  const { preamble, vhosts } = setFor(publisher.current(), agent.id);
  const endpointsOf = endpointsUnder(preamble);
  const known = new Set(broken.map(({ vhost }) => vhost.id));
  const waiting = vhosts.flatMap((vhost) => {
    if (!vhost.enabled || known.has(vhost.id)) return [];
    const waitsFor = endpointsOf(vhost).flatMap((endpoint) =>
      served.has(keyOfEndpoint(endpoint)) ? [] : (reasons.get(endpoint.port) ?? []),
    );
    const sentences = new Set(waitsFor.map(sentenceOfClosed));
    if (sentences.size === 0) return [];
    return [{ vhost, detail: [...sentences].join('; '), ports: waitsFor.map(({ port }) => port) }];
  });
  return [...broken, ...waiting];
}
