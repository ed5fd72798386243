/** Resolves the names of upstreams, each at most once a minute, whoever asks. */
import { lookup, setServers } from 'node:dns';
import { promisify } from 'node:util';
import { dns } from 'bun';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { readIfThere } from '../../../src/shared/system/files.ts';
import type { Pace } from '../../pace.ts';

export type Resolver = {
  /** IP addresses, or none if there are none. Never rejects. */
  resolve(host: string): Promise<string[]>;
};

const MOST_NAMES = 10_000;

/**
 * @param elapsed milliseconds from a clock that is never set
 * @param find throws if there is no such name
 */
export function createResolver(
  elapsed: () => number,
  pace: Pace['names'],
  find: (host: string) => Promise<string[]> = createLookup(),
): Resolver {
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

const SYSTEM_CONF = '/etc/resolv.conf';

/**
 * Looks up the addresses of names by asking the name servers itself. The system's own lookup keeps a
 * thread while a name server does not answer, and whatever reads a file waits for a thread as well.
 * @param conf the file that names the name servers (resolv.conf(5)); changes of it are followed
 * @returns a function that throws if there is no such name
 */
export function createLookup(conf = SYSTEM_CONF): (host: string) => Promise<string[]> {
  // So many threads at most.
  const limited = createConcurrencyLimit({ concurrency: 1 });
  let known = readIfThere(conf);

  function follow(): void {
    const text = readIfThere(conf);
    if (text === null || text === known) return;
    // Without those that need a zone (`fe80::1%eth0`), which would get lost.
    const found = text.matchAll(/^nameserver[ \t]+([^\s%]+)(?!\S)/gm);
    const servers = [...found].map(([, server = '']) => server);
    if (servers.length > 0) setServers(servers);
    known = text;
  }

  return async (host) => {
    follow();
    const found = await dns.lookup(host, { backend: 'c-ares' }).catch((error) => {
      if (!/NOTFOUND|NODATA/.test(error.code)) throw error;
      // The system may know it from elsewhere, such as multicast DNS.
      return limited(() => promisify(lookup)(host, { all: true }));
    });
    return found.map(({ address }) => address);
  };
}
