/** The last error of each site and upstream, as Caddy's log told them. */
import type { SiteError, SiteUpstream } from '../../src/shared/wire-state.ts';
import type { Complaint } from './complaints.ts';
import { type LiveSite, matches, nameOf } from './live-sites.ts';

/** The last error of one kind; times in milliseconds since 1970. */
type Trouble = { at: number; message: string; standing: boolean };
type AcmeTrouble = Trouble & { retryAt: number | undefined };
type UpstreamTrouble = Trouble & { host: string; dialled: string | null };

export type TroublesDeps = {
  now: () => Date;
  /** Whether the newest request for a host is younger than a time, and was answered without an error. */
  hasRecovered: (host: string, since: number) => Promise<boolean>;
};

/** What is over is still of interest for a while. */
const PAST_MS = 3_600_000;
/** So many sites are asked about at one look; each is a page of the access log. */
const MOST_ASKED = 100;
const MOST_ADDRESSES = 5_000;

export function createTroubles({ now, hasRecovered }: TroublesDeps) {
  const acme = new Map<string, AcmeTrouble>();
  const upstream = new Map<string, UpstreamTrouble>();
  const unhealthy = new Map<string, Trouble>();

  return {
    /** @returns the names that were given a certificate */
    hear(complaints: readonly Complaint[], sites: readonly LiveSite[]): string[] {
      const index = indexOf(sites);
      const obtained: string[] = [];
      for (const said of complaints) {
        const { at } = said;
        switch (said.kind) {
          case 'acme':
            acme.set(nameOf(said.name), { ...said, standing: true, retryAt: undefined });
            break;
          case 'retry': {
            const known = acme.get(nameOf(said.name));
            if (known) known.retryAt = said.retryAt;
            break;
          }
          case 'obtained':
            acme.delete(nameOf(said.name));
            obtained.push(nameOf(said.name));
            break;
          case 'upstream': {
            const { host, secure, message, dialled } = said;
            const site = index(nameOf(host), secure);
            if (site) {
              upstream.set(keyOf(site), { at, message, standing: true, host, dialled });
            }
            break;
          }
          case 'unhealthy':
            if (unhealthy.size < MOST_ADDRESSES || unhealthy.has(said.address)) {
              unhealthy.set(said.address, { at, message: said.message, standing: true });
            }
            break;
          case 'healthy':
            unhealthy.delete(said.address);
        }
      }
      return obtained;
    },

    /** Looks which of the errors are over, and forgets those of sites that are no more. */
    async settle(sites: readonly LiveSite[]): Promise<void> {
      const [names, keys] = [new Set(sites.map(({ name }) => name)), new Set(sites.map(keyOf))];
      const addresses = new Set(sites.flatMap((site) => site.upstreams.map((one) => one.address)));
      for (const name of acme.keys()) if (!names.has(name)) acme.delete(name);
      for (const at of unhealthy.keys()) if (!addresses.has(at)) unhealthy.delete(at);
      const oldest = now().getTime() - PAST_MS;
      let asked = 0;
      for (const [key, trouble] of [...upstream]) {
        if (!keys.has(key) || (!trouble.standing && trouble.at < oldest)) upstream.delete(key);
        else if (trouble.standing && asked++ < MOST_ASKED) {
          // What is asked about goes behind the others, so that each has its turn.
          upstream.delete(key);
          upstream.set(key, trouble);
          const isOver = await hasRecovered(trouble.host, trouble.at).catch(() => false);
          if (isOver) trouble.standing = false;
        }
      }
    },

    errorsOf(site: LiveSite): SiteError[] {
      const found: SiteError[] = [];
      const [refused, failed] = [acme.get(site.name), upstream.get(keyOf(site))];
      if (site.tls && refused) {
        const { retryAt } = refused;
        found.push({
          kind: 'acme',
          ...told(refused),
          standing: refused.standing,
          ...(retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() }),
        });
      }
      if (failed) found.push({ kind: 'upstream', ...told(failed), standing: failed.standing });
      return found;
    },

    /** Why an upstream of a site is down; null where nothing was heard of it, or it is over. */
    reasonOf(site: LiveSite, address: string): SiteUpstream['error'] {
      const failed = upstream.get(keyOf(site));
      if (failed?.standing && isDialled(failed.dialled, address, site)) return told(failed);
      const ill = unhealthy.get(address);
      return ill ? told(ill) : null;
    },
  };
}

const keyOf = ({ name, ports }: LiveSite) => `${ports.join()} ${name}`;

const told = ({ at, message }: Trouble) => ({ at: new Date(at).toISOString(), message });

/** Finds the site a request came to: its name, else a wildcard's, else one for any host. */
function indexOf(sites: readonly LiveSite[]) {
  const exact = new Map<string, LiveSite>();
  for (const site of sites) exact.set(`${site.tls !== null} ${site.name}`, site);
  // Taken apart once: a log may hold thousands of hosts.
  const patterns = sites.flatMap((site) =>
    site.name.includes('*') ? { site, pattern: site.name.split('.') } : [],
  );
  return (name: string, secure: boolean): LiveSite | undefined => {
    const labels = name.split('.');
    return (
      exact.get(`${secure} ${name}`) ??
      patterns.find(
        ({ site, pattern }) => (site.tls !== null) === secure && matches(pattern, labels),
      )?.site ??
      exact.get(`${secure} `)
    );
  };
}

/**
 * Whether what was dialled is an upstream: the address as it stands, its host where that could not
 * be looked up, or, where its host is a name, the address that alone has this port.
 */
function isDialled(dialled: string | null, address: string, site: LiveSite): boolean {
  if (dialled === null) return site.upstreams.length === 1;
  if (dialled === address || address.startsWith(`${dialled}:`)) return true;
  if (`unix/${dialled}` === address) return true;
  const port = portOf(dialled);
  const same = site.upstreams.filter((one) => portOf(one.address) === port);
  const [only] = same;
  return same.length === 1 && only?.address === address && !/^[\d.]+:|^\[/.test(address);
}

const portOf = (address: string) => /:(\d+)$/.exec(address)?.[1] ?? address;
