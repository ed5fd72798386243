/** When upstreams that cannot be dialled, or do not answer that, last answered a request with success. */
import type { LogEntry } from '../../../src/shared/wire.ts';
import type { LiveSite } from '../live-sites.ts';

export type Answered = {
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
      const names = Map.groupBy(all, ({ name }) => name);
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
