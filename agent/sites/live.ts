/** Keeps the sites of the live configuration, and follows its changes. */
import type { Json } from '../../src/shared/json.ts';
import type { Admin } from '../caddy/admin.ts';
import type { Watch } from '../caddy/watch.ts';
import type { Pace } from '../pace.ts';
import { resolveAuthorities } from './authorities.ts';
import { type LiveSite, liveSites } from './live-sites.ts';

type LiveDeps = {
  admin: Pick<Admin, 'adapt' | 'config'>;
  watch: Pick<Watch, 'liveId'>;
  /** Called with the sites of each configuration that is new. */
  changed: (sites: readonly LiveSite[]) => void;
  pace: Pace['live'];
};

export type Live = {
  /** None if the proxy serves nothing that the agent loaded. @throws AdminUnreachable */
  now(): Promise<readonly LiveSite[]>;
  /** As of the last look at the proxy; null if there was none. */
  last(): readonly LiveSite[] | null;
  /** Looks for another configuration from now on, as Caddy's supervisor may load one. */
  follow(): void;
  /** If it follows: looks soon. */
  look(): void;
  stop(): void;
};

export function createLive({ admin, watch, changed, pace }: LiveDeps): Live {
  let known: { id: string; sites: readonly LiveSite[] } | null = null;
  let reading: Promise<readonly LiveSite[]> | null = null;
  let every: Timer | undefined;
  let soon: Timer | undefined;

  const sitesOf = (config: string): Promise<readonly LiveSite[]> =>
    resolveAuthorities(liveSites(JSON.parse(config) as Json), admin.adapt);

  async function read(): Promise<readonly LiveSite[]> {
    const id = await watch.liveId();
    if (known && known.id === id) return known.sites;
    const sites = id === null ? [] : await sitesOf(await admin.config());
    known = id === null ? null : { id, sites };
    changed(sites);
    return sites;
  }

  /** Shared by those who ask at the same time. */
  function now(): Promise<readonly LiveSite[]> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  /** A proxy that does not answer changes nothing. */
  const tryNow = () => void now().catch(() => undefined);

  return {
    now,
    last: () => known?.sites ?? null,

    follow() {
      every = setInterval(tryNow, pace.every);
      tryNow();
    },

    look() {
      if (every === undefined) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        tryNow();
      }, pace.soon);
    },

    stop() {
      clearInterval(every);
      clearTimeout(soon);
    },
  };
}
