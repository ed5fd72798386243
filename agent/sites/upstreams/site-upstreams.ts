/** Collects what speaks for and against the upstreams of sites. */
import { within } from '../../../src/shared/async.ts';
import { memoize } from '../../../src/shared/memoize.ts';
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
import { NOT_DIALLED_YET, type SiteUpstream } from '../../../src/shared/wire/sites.ts';
import type { Admin } from '../../caddy/admin.ts';
import type { Pace } from '../../pace.ts';
import type { LiveSite } from '../live-sites.ts';
import type { Dial } from '../live-upstreams.ts';
import { keyOfSite, type SiteErrors } from '../site-errors.ts';
import { createUpstreams } from './figures.ts';
import type { Prober } from './prober.ts';
import { createUpstreamStates } from './upstream-states.ts';

export type SiteUpstreamsDeps = {
  admin: Pick<Admin, 'upstreams' | 'metrics'>;
  siteErrors: SiteErrors;
  newestRequest: (host: string) => Promise<LogEntry | null>;
  /** Null if upstreams are not to be dialled. */
  prober: Prober | null;
  /** Whether this machine, or container, is the one where something listens on a port. */
  isOpenHere: (port: number) => boolean;
  pace: Pick<Pace, 'upstreams'>;
  now: () => Date;
};

/** See `SitesRequest`. */
export type SitesHow = { wait?: number | undefined; brief?: boolean | undefined };

type SiteUpstreams = {
  /** Call it with all sites of each new configuration: dials their upstreams, and no others. */
  keep(sites: readonly LiveSite[]): void;
  /**
   * Returns a function that gives the upstreams of these sites.
   * @param all sites of the configuration
   * @param how see `SitesRequest`
   * @throws AdminUnreachable
   */
  read(
    sites: readonly LiveSite[],
    all: readonly LiveSite[],
    how?: SitesHow,
  ): Promise<(site: LiveSite) => SiteUpstream[]>;
};

/** How long an answer waits for the first dial of an upstream. */
const TIMEOUT_MS = 1_200;

const OFF = 'Upstreams are not probed: UPSTREAM_PROBE is false.';
const ELSEWHERE = 'Caddy is in another network than the agent.';

export function createSiteUpstreams(deps: SiteUpstreamsDeps): SiteUpstreams {
  const { siteErrors, prober, now } = deps;
  const caddy = createUpstreams(deps.admin, deps.pace.upstreams, now);
  const answered = createAnswered(deps.newestRequest);
  const states = createUpstreamStates(now);
  let unprobed = OFF;

  const probeOf = (dial: Dial | null) => (dial && prober?.last(dial)) ?? null;
  const isSurelyUp = (site: LiveSite): boolean =>
    site.upstreams.every(({ dial }) => dial === null || probeOf(dial)?.up === true);

  return {
    keep(sites) {
      caddy.forget();
      states.keep(sites.flatMap(keysOf));
      // The addresses of a Caddy in a container of its own mean something else here.
      const isHere = sites.some(({ ports }) => ports.some(deps.isOpenHere));
      prober?.keep(isHere ? dialsOf(sites) : []);
      if (prober) unprobed = isHere ? NOT_DIALLED_YET : ELSEWHERE;
    },

    async read(sites, all, { wait, brief = false } = {}) {
      const dialled = within(
        prober?.probe(dialsOf(sites), wait !== undefined) ?? Promise.resolve(),
        wait ?? TIMEOUT_MS,
        () => undefined,
      );
      const isFull = wait === undefined;
      const [figures] = await Promise.all([
        isFull ? (brief ? caddy.health() : caddy.read()) : null,
        dialled,
        isFull ? siteErrors.refresh(all) : null,
      ]);
      if (isFull) {
        const asked = sites.filter((site) => !isSurelyUp(site));
        await answered.refresh(asked, all);
      }
      const { stateOf } = isFull ? states : createUpstreamStates(now);
      return (site) =>
        site.upstreams.map((upstream, at) => {
          const state = stateOf(keysOf(site)[at] ?? '', {
            upstream,
            probe: probeOf(upstream.dial),
            unprobed,
            fault: figures && siteErrors.faultOf(site, upstream.address),
            answered: figures && upstream.dial ? answered.last(site) : null,
            figures: figures?.get(upstream.address) ?? null,
          });
          return brief ? { ...state, lastChecked: null, latencyMs: null } : state;
        });
    },
  };
}

/** Of the upstreams of a site. */
const keysOf = memoize((site: LiveSite): readonly string[] =>
  site.upstreams.map(({ address }) => `${keyOfSite(site)} ${address}`),
);

const dialsOf = memoize((sites: readonly LiveSite[]): readonly Dial[] =>
  sites.flatMap((site) => site.upstreams.flatMap(({ dial }) => dial ?? [])),
);

const byName = memoize((sites: readonly LiveSite[]) => Map.groupBy(sites, ({ name }) => name));

/** When upstreams that cannot be dialled, or do not answer that, last answered a request with success. */
type Answered = {
  /** Looks for these sites, some of them at a time; asks only where the answer is clear. */
  refresh(sites: readonly LiveSite[], all: readonly LiveSite[]): Promise<void>;
  /** Milliseconds since 1970; null if it did not, or nobody can tell. */
  last(site: LiveSite): number | null;
};

/** Each costs a page of the access log. */
const MOST_ASKED = 100;

/** @param newestRequest of a host */
export function createAnswered(
  newestRequest: (host: string) => Promise<LogEntry | null>,
): Answered {
  let found = new Map<string, number>();
  let turn = 0;

  return {
    async refresh(sites, all) {
      const names = byName(all);
      const clear = sites.filter(
        ({ name, upstreams, alone }) =>
          alone && upstreams.length === 1 && isHost(name) && names.get(name)?.length === 1,
      );
      found = new Map([...found].filter(([name]) => names.has(name)));
      const asked = clear.slice(turn, turn + MOST_ASKED);
      turn = turn + MOST_ASKED < clear.length ? turn + MOST_ASKED : 0;
      for (const { name } of asked) {
        const newest = await newestRequest(name).catch(() => null);
        if (newest && newest.status >= 200 && newest.status < 300) {
          found.set(name, Date.parse(newest.timestamp));
        }
      }
    },

    last: ({ name }) => found.get(name) ?? null,
  };
}

/** As opposed to any host, and to a wildcard. */
const isHost = (name: string): boolean => name !== '' && !name.includes('*');
