/**
 * Looks up the addresses of names by asking the name servers itself. The system's own lookup keeps a
 * thread while a name server does not answer, and whatever reads a file waits for a thread as well.
 */
import { lookup, setServers } from 'node:dns';
import { promisify } from 'node:util';
import { dns } from 'bun';
import { createConcurrencyLimit } from '../../../src/shared/concurrency-limit.ts';
import { readIfThere } from '../../../src/shared/files.ts';

const SYSTEM_CONF = '/etc/resolv.conf';

/**
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
