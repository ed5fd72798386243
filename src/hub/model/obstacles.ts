/** Which sites and preambles of a set a newer Caddy would refuse. */
import { createPauses } from '../../shared/async.ts';
import { type RefusedLater, refusedByNewer } from '../caddyfile/newer-caddy.ts';
import type { SiteSet, Vhost } from './vhost.ts';

type Obstacle = RefusedLater & {
  /** Absent: it is in a preamble. */
  vhost?: { id: number; domain: string };
  /** If the preamble is one of an agent's own: whose. */
  agents?: string[];
};

/** More than anyone reads at once. */
const MOST = 100;

/** By version; a changed set or vhost is a new object. */
type Cache<K extends WeakKey, V> = WeakMap<K, { version: string | null; found: V }>;

const ofVhosts: Cache<Vhost, RefusedLater[]> = new WeakMap();
const ofSets: Cache<SiteSet, Promise<readonly Obstacle[]>> = new WeakMap();

function remembered<K extends WeakKey, V>(
  known: Cache<K, V>,
  key: K,
  version: string | null,
  find: () => V,
): V {
  const last = known.get(key);
  if (last && last.version === version) return last.found;
  const found = find();
  known.set(key, { version, found });
  return found;
}

/**
 * What stands in the way of an upgrade of Caddy, preambles first, at most 100. Each site is read once,
 * and others have their turn meanwhile.
 * @param version the oldest that a proxy runs; null: not known
 */
export const obstaclesOf = (set: SiteSet, version: string | null): Promise<readonly Obstacle[]> =>
  remembered(ofSets, set, version, () => findObstacles(set, version));

async function findObstacles(set: SiteSet, version: string | null): Promise<Obstacle[]> {
  if (version === null) return [];
  const pause = createPauses();
  const found = preambleObstacles(set, version);
  for (const vhost of set.vhosts) {
    if (found.length >= MOST) break;
    if (!vhost.enabled) continue;
    const { id, domain, config } = vhost;
    const own = remembered(ofVhosts, vhost, version, () => refusedByNewer(config, version));
    for (const one of own) found.push({ vhost: { id, domain }, ...one });
    await pause();
  }
  return found.slice(0, MOST);
}

/** The preamble of all, if an agent has it, and those that agents have of their own. */
function preambleObstacles({ preamble, agents }: SiteSet, version: string | null): Obstacle[] {
  const texts = Map.groupBy(
    agents.filter((agent) => agent.preamble !== null),
    (agent) => agent.preamble ?? '',
  );
  const isShared = agents.length === 0 || agents.some((agent) => agent.preamble === null);
  const shared = isShared ? refusedByNewer(preamble, version) : [];
  return [
    ...shared,
    ...[...texts].flatMap(([text, owners]) =>
      refusedByNewer(text, version).map((one) => ({
        ...one,
        agents: owners.map(({ name }) => name),
      })),
    ),
  ];
}
