/** Keeps the last error of each site and upstream, from Caddy's log. */
import { memoize } from '../../src/shared/memoize.ts';
import type { SiteError } from '../../src/shared/wire/sites.ts';
import { type LiveSite, matches, nameOf } from './live-sites.ts';
import type { LogEvent } from './log-events.ts';

/** The last error of one kind; times in milliseconds since 1970. */
type LastError = { at: number; message: string; standing: boolean };
type AcmeError = LastError & { retryAt: number | undefined };
type UpstreamError = LastError & { host: string; dialled: string | null };

/** `kind`: it could not be dialled, or its answer was no good, or Caddy's health check failed. */
export type UpstreamFault = { kind: 'dial' | 'answer' | 'health'; at: number; message: string };

export type SiteErrors = {
  /** Records what happened. @returns the names that got a certificate */
  record(events: readonly LogEvent[], sites: readonly LiveSite[]): string[];
  /** Marks the errors that are over, and forgets those of sites that are gone. */
  refresh(sites: readonly LiveSite[]): Promise<void>;
  errorsOf(site: LiveSite): SiteError[];
  /** Why the last attempt to get its certificate failed; null if it did not. */
  acmeErrorOf(site: LiveSite): Omit<SiteError, 'kind'> | null;
  /** What speaks against an upstream of a site; null if nothing does. */
  faultOf(site: LiveSite, address: string): UpstreamFault | null;
};

/** An error that is over is shown this long. */
const KEPT_MS = 3_600_000;
/** Sites that one refresh asks about; each costs a page of the access log. */
const MOST_ASKED = 100;
const MOST_ADDRESSES = 5_000;

/** @param hasRecovered whether the newest request for a host is not older than `since`, and succeeded */
export function createSiteErrors(
  now: () => Date,
  hasRecovered: (host: string, since: number) => Promise<boolean>,
): SiteErrors {
  const acme = new Map<string, AcmeError>();
  const upstream = new Map<string, UpstreamError>();
  const unhealthy = new Map<string, LastError>();

  function acmeErrorOf({ name, tls }: LiveSite): Omit<SiteError, 'kind'> | null {
    const refused = tls && acme.get(name);
    if (!refused) return null;
    const { standing, retryAt } = refused;
    return {
      ...show(refused),
      standing,
      ...(retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() }),
    };
  }

  return {
    acmeErrorOf,

    record(events, sites) {
      if (events.length === 0) return [];
      const find = createSiteFinder(sites);
      const obtained: string[] = [];
      for (const event of events) {
        const { at } = event;
        switch (event.kind) {
          case 'acme':
            acme.set(nameOf(event.name), { ...event, standing: true, retryAt: undefined });
            break;
          case 'retry': {
            const known = acme.get(nameOf(event.name));
            if (known) known.retryAt = event.retryAt;
            break;
          }
          case 'obtained':
            acme.delete(nameOf(event.name));
            obtained.push(nameOf(event.name));
            break;
          case 'upstream': {
            const { host, secure, message, dialled } = event;
            const site = find(nameOf(host), secure);
            if (site) {
              upstream.set(keyOfSite(site), { at, message, standing: true, host, dialled });
            }
            break;
          }
          case 'unhealthy':
            if (unhealthy.size < MOST_ADDRESSES || unhealthy.has(event.address)) {
              unhealthy.set(event.address, { at, message: event.message, standing: true });
            }
            break;
          case 'healthy':
            unhealthy.delete(event.address);
        }
      }
      return obtained;
    },

    async refresh(sites) {
      // Of 10,000 sites, hardly one has an error.
      if (acme.size + unhealthy.size + upstream.size === 0) return;
      const [names, keys] = [new Set(sites.map(({ name }) => name)), new Set(sites.map(keyOfSite))];
      const addresses = new Set(sites.flatMap((site) => site.upstreams.map((one) => one.address)));
      for (const name of acme.keys()) if (!names.has(name)) acme.delete(name);
      for (const at of unhealthy.keys()) if (!addresses.has(at)) unhealthy.delete(at);
      const oldest = now().getTime() - KEPT_MS;
      let asked = 0;
      for (const [key, error] of [...upstream]) {
        if (!keys.has(key) || (!error.standing && error.at < oldest)) upstream.delete(key);
        else if (error.standing && asked++ < MOST_ASKED) {
          // Moved to the end, so that each has its turn.
          upstream.delete(key);
          upstream.set(key, error);
          const isOver = await hasRecovered(error.host, error.at).catch(() => false);
          if (isOver) error.standing = false;
        }
      }
    },

    errorsOf(site) {
      const found: SiteError[] = [];
      const [refused, failed] = [acmeErrorOf(site), upstream.get(keyOfSite(site))];
      if (refused) found.push({ kind: 'acme', ...refused });
      if (failed) found.push({ kind: 'upstream', ...show(failed), standing: failed.standing });
      return found;
    },

    faultOf(site, address) {
      const failed = upstream.get(keyOfSite(site));
      if (failed?.standing && isDialled(failed.dialled, address, site)) {
        return { ...failed, kind: failed.dialled === null ? 'answer' : 'dial' };
      }
      const ill = unhealthy.get(address);
      return ill ? { ...ill, kind: 'health' } : null;
    },
  };
}

/** The same for sites with the same name and ports. */
export const keyOfSite = memoize(({ name, ports }: LiveSite) => `${ports.join()} ${name}`);

const show = ({ at, message }: LastError) => ({ at: new Date(at).toISOString(), message });

/** Finds the site that a request was for: by name, then by wildcard, then the one for any host. */
function createSiteFinder(sites: readonly LiveSite[]) {
  const exact = new Map<string, LiveSite>();
  for (const site of sites) exact.set(`${site.tls !== null} ${site.name}`, site);
  // Split only once, because a log may hold thousands of hosts.
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
 * Whether the dialled address belongs to an upstream: it is the same, or only the host because that
 * could not be resolved, or the upstream has a host name and is the only one with this port.
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
