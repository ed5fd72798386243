/** Resolves the names of upstreams, each at most once a minute, whoever asks. */
import type { Pace } from '../../pace.ts';
import { createLookup } from './lookup.ts';

export type Resolver = {
  /** IP addresses, or none if there are none. Never rejects. */
  resolve(host: string): Promise<string[]>;
};

export type ResolverDeps = {
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  /** @throws if there is no such name */
  find?: (host: string) => Promise<string[]>;
  pace: Pace['names'];
};

const MOST_NAMES = 10_000;

export function createResolver({ elapsed, find = createLookup(), pace }: ResolverDeps): Resolver {
  const known = new Map<string, { until: number; addresses: Promise<string[]> }>();

  return {
    resolve(host) {
      const found = known.get(host);
      if (found && found.until > elapsed()) return found.addresses;
      // One that is under way is shared, however long it takes.
      const entry = { until: Number.POSITIVE_INFINITY, addresses: Promise.resolve<string[]>([]) };
      entry.addresses = find(host)
        .catch(() => [])
        .then((addresses) => {
          entry.until = elapsed() + (addresses.length > 0 ? pace.found : pace.missing);
          return addresses;
        });
      if (known.size >= MOST_NAMES) known.clear();
      known.set(host, entry);
      return entry.addresses;
    },
  };
}
