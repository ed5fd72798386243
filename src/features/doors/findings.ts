/** What agents find: who gets in to the sites of each proxy, and who came. Kept until it may be otherwise. */
import type { HubCore } from '../../hub/core.ts';
import { isPlacedOn, setFor } from '../../hub/model/applied.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { wordsOf } from '../../shared/failure.ts';
import { type Got, TRIAL, VISITS, type Visits, type VisitsAnswer } from './wire.ts';

/** Of a vhost at one proxy. `got`: what strangers got at each of its addresses. */
export type Finding = {
  vhost: Vhost;
  got: Got[];
  /** Null: not known. */
  visits: Visits | null;
  /** What the log of the proxy says of itself; null: it could not be read. */
  log: Pick<VisitsAnswer, 'since' | 'complete'> | null;
};

export type Findings = {
  /**
   * Of all vhosts that are on, once for each proxy that serves them.
   * @param days of the log
   * @throws Failure if no agent knows: AGENT_UNREACHABLE; PROXY_REJECTED if Caddy refuses the Caddyfile
   */
  of(set: SiteSet, days: number): Promise<Finding[]>;
};

type Target = ReturnType<HubCore['publisher']['targets']['named']>;
type Kept<T> = { key: string; until: number; answer: Promise<T> };

/** Milliseconds for which the log is not read again, and what a stranger got is not asked again. */
const VISITS_MS = 300_000;
const TRIAL_KEPT_MS = 24 * 3_600_000;
const ONLY_CADDY = 'Only Caddy knows its address';

export function createFindings({
  publisher,
  elapsed,
}: Pick<HubCore, 'publisher' | 'elapsed'>): Findings {
  const trials = new Map<number, Kept<Got[][]>>();
  const visits = new Map<number, Kept<VisitsAnswer>>();

  /** The answer that is kept, or a new one. @param key what it depends on */
  function remembered<T>(
    kept: Map<number, Kept<T>>,
    { id }: Target,
    { key, milliseconds }: { key: string; milliseconds: number },
    ask: () => Promise<T>,
  ): Promise<T> {
    const known = kept.get(id);
    if (known?.key === key && known.until > elapsed()) return known.answer;
    const answer = ask();
    kept.set(id, { key, until: elapsed() + milliseconds, answer });
    answer.catch(() => kept.delete(id));
    return answer;
  }

  async function at(target: Target, set: SiteSet, days: number): Promise<Finding[]> {
    const { client, gateway } = target;
    const { preamble } = setFor(set, target.id);
    const endpointsOf = endpointsUnder(preamble);
    const here = set.vhosts.filter((one) => one.enabled && isPlacedOn(one, target.id));
    const endpoints = new Map(here.map((vhost) => [vhost, endpointsOf(vhost)]));
    const sites = [...endpoints.values()].map((all) => [...new Set(all.map(({ name }) => name))]);
    const came = await remembered(
      visits,
      target,
      { key: `${days} ${Bun.hash(JSON.stringify(sites))}`, milliseconds: VISITS_MS },
      () => client.send(VISITS, { days, sites }),
    ).catch(() => null);
    const pathsBy = new Map(came?.hosts.map(({ host, paths }) => [host, paths]));
    const places = [...endpoints].flatMap(([vhost, all]) =>
      all.map(({ name, port }) => ({ vhost, name, port, paths: askable(pathsBy.get(name)) })),
    );
    const asked = places.map(({ vhost: _, ...place }) => place);
    const addresses = Bun.hash(JSON.stringify(asked.map(({ name, port }) => [name, port])));
    // Another version of Caddy may answer otherwise, and can be told more.
    const key = `${gateway.published()} ${target.version()} ${addresses}`;
    const got = await remembered(trials, target, { key, milliseconds: TRIAL_KEPT_MS }, async () => {
      const { places } = await client.send(TRIAL, { places: asked });
      return places;
    });
    const gotBy = Map.groupBy(places.keys(), (index) => places[index]?.vhost);
    return here.map((vhost, at) => ({
      vhost,
      got:
        sites[at]?.length === 0
          ? [unknown(ONLY_CADDY)]
          : (gotBy.get(vhost) ?? []).flatMap((index) => got[index] ?? []),
      visits: came?.sites[at] ?? null,
      log: came,
    }));
  }

  return {
    async of(set, days) {
      const errors: unknown[] = [];
      const found = await Promise.all(
        set.agents.map(async ({ id, name }) => {
          const target = publisher.targets.named(name);
          return at(target, set, days).catch((error: unknown) => {
            errors.push(error);
            const reason = wordsOf(error);
            const here = set.vhosts.filter((one) => one.enabled && isPlacedOn(one, id));
            return here.map((vhost) => ({
              vhost,
              got: [unknown(reason)],
              visits: null,
              log: null,
            }));
          });
        }),
      );
      if (errors.length === set.agents.length) throw errors[0];
      return found.flat();
    },
  };
}

const unknown = (reason: string): Got => ({ path: '/', opensTo: 'unsure', status: null, reason });

const askable = (paths: readonly string[] = []): string[] =>
  paths.filter((path) => /^\/[\x21-\x7e]*$/.test(path));
