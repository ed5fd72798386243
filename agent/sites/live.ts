/** Keeps the sites of the live configuration, and follows its changes. */
import { every } from '../../src/shared/every.ts';
import type { Json } from '../../src/shared/json.ts';
import type { Admin } from '../caddy/admin.ts';
import type { Watch } from '../caddy/watch.ts';
import type { Pace } from '../pace.ts';
import { resolveAuthorities } from './authorities.ts';
import { type LiveSite, liveSites } from './live-sites.ts';

export type Live = {
  /** None if the proxy serves nothing that the agent loaded. @throws AdminUnreachable */
  now(): Promise<readonly LiveSite[]>;
  /** As of the last look at the proxy; null if there was none. */
  last(): readonly LiveSite[] | null;
  /** Looks for another configuration from now on, as Caddy's supervisor may load one. */
  begin(): void;
  /** If it has begun: looks soon. */
  look(): void;
  end(): Promise<void>;
};

/** @param changed called with the sites of each configuration that is new */
export function createLive(
  admin: Admin,
  watch: Watch,
  pace: Pace['live'],
  changed: (sites: readonly LiveSite[]) => void,
): Live {
  let known: { id: string; sites: readonly LiveSite[] } | null = null;
  let reading: Promise<readonly LiveSite[]> | null = null;
  let hasBegun = false;
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
  const tryNow = () => now().catch(() => undefined);
  const looks = every({ pause: pace.every }, tryNow);

  return {
    now,
    last: () => known?.sites ?? null,

    begin() {
      hasBegun = true;
      looks.begin();
    },

    look() {
      if (!hasBegun) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        void tryNow();
      }, pace.soon);
    },

    end() {
      clearTimeout(soon);
      return looks.end();
    },
  };
}
