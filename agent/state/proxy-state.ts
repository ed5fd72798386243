/** What the proxy knows of the sites it serves: certificates, upstreams and the last errors. */

import { Failure } from '../../src/shared/failure.ts';
import type { LogEntry } from '../../src/shared/wire.ts';
import type { CertificatesAnswer, SiteState, SiteUpstream } from '../../src/shared/wire-state.ts';
import { type Admin, AdminUnreachable } from '../caddy/admin.ts';
import type { Json } from '../caddy/json.ts';
import type { Watch } from '../caddy/watch.ts';
import { createCertificates } from './certificates.ts';
import { readComplaint } from './complaints.ts';
import { createErrorLog } from './error-log.ts';
import type { Shown, Target } from './handshake.ts';
import { type LiveSite, type LiveTls, liveSites } from './live-sites.ts';
import { createTroubles } from './troubles.ts';
import { createUpstreams, type UpstreamFigures } from './upstreams.ts';

export type ProxyStateDeps = {
  admin: Admin;
  /** The same as whoever else asks what is live. */
  watch: Watch;
  /** The file of the agent's own error logger. */
  errorLog: string;
  handshake: (target: Target) => Promise<Shown>;
  /** The newest entry of the access log for a host. */
  newestRequest: (host: string) => Promise<LogEntry | null>;
  now: () => Date;
};

export type ProxyState = ReturnType<typeof createProxyState>;

/** Longer nobody waits for handshakes; what is not there by then comes with the next look. */
const PATIENCE_MS = 3_000;
/** A list that is looked at for its certificates alone is asked for again anyway. */
const SHORT_PATIENCE_MS = 500;

export function createProxyState(deps: ProxyStateDeps) {
  const { admin, watch, now } = deps;
  const certificates = createCertificates(deps);
  const upstreams = createUpstreams(deps);
  const errorLog = createErrorLog(deps.errorLog);
  const troubles = createTroubles({
    now,
    async hasRecovered(host, since) {
      const newest = await deps.newestRequest(host);
      // Caddy writes 0 for a request that was cut off.
      return (
        newest !== null &&
        Date.parse(newest.timestamp) >= since &&
        newest.status > 0 &&
        newest.status < 500
      );
    },
  });
  let live: { digest: string; sites: readonly LiveSite[] } | null = null;

  /** None where the proxy serves nothing that the agent loaded. @throws AdminUnreachable */
  async function liveNow(): Promise<readonly LiveSite[]> {
    const digest = await watch.liveDigest();
    if (digest === null) live = null;
    else if (live?.digest !== digest) {
      live = { digest, sites: liveSites(JSON.parse(await admin.config()) as Json) };
      certificates.keep(targetsOf(live.sites));
      certificates.expire();
      upstreams.forget();
    }
    return live?.sites ?? [];
  }

  async function hear(sites: readonly LiveSite[]): Promise<void> {
    const complaints = (await errorLog.read()).flatMap((line) => readComplaint(line) ?? []);
    const renewed = new Set(troubles.hear(complaints, sites));
    if (renewed.size > 0) certificates.expire((name) => renewed.has(name));
  }

  async function look(sites: readonly LiveSite[], patience: number): Promise<void> {
    await within(certificates.refresh(targetsOf(sites)), patience);
  }

  function certificateOf({ name, ports, tls }: LiveSite): CertificatesAnswer['sites'][number] {
    const nothing = { certificate: null, reason: null, checkedAt: null };
    const site = { name, ports: [...ports], tls: tls !== null, automated: tls?.automated ?? false };
    if (tls === null || name === '') return { ...site, ...nothing };
    if (tls.onDemand) {
      const reason = 'Issued on demand: a look at it could have one issued, so none is taken.';
      return { ...site, ...nothing, reason };
    }
    const known = certificates.known(targetOf(name, tls));
    if (known === null) return { ...site, ...nothing };
    return {
      ...site,
      certificate: known.certificate,
      reason: known.certificate === null ? known.reason : null,
      checkedAt: known.at.toISOString(),
    };
  }

  function upstreamOf(site: LiveSite, told: ReadonlyMap<string, UpstreamFigures>) {
    return ({ address, checked }: LiveSite['upstreams'][number]): SiteUpstream => {
      const known = told.get(address);
      const error = troubles.reasonOf(site, address);
      const isDown = known?.healthy === false || error !== null;
      return {
        address,
        up: isDown ? false : checked && known?.healthy ? true : null,
        requests: known?.requests ?? null,
        fails: known?.fails ?? null,
        error,
      };
    };
  }

  return {
    /**
     * @param names those alone; else all
     * @throws Failure PROXY_UNREACHABLE
     */
    async sites(names?: readonly string[]): Promise<SiteState[]> {
      try {
        const all = await liveNow();
        await hear(all);
        const wanted = names && new Set(names);
        const sites = wanted ? all.filter(({ name }) => wanted.has(name)) : all;
        const [told] = await Promise.all([
          upstreams.read(),
          look(sites, PATIENCE_MS),
          troubles.settle(all),
        ]);
        return sites.map((site) => ({
          ...certificateOf(site),
          upstreams: site.upstreams.map(upstreamOf(site, told)),
          errors: troubles.errorsOf(site),
        }));
      } catch (error) {
        throw silent(error);
      }
    },

    /** The certificates of all names, at once where they are known. @throws as sites */
    async certificates(): Promise<CertificatesAnswer['sites']> {
      try {
        const sites = await liveNow();
        await hear(sites);
        await look(sites, SHORT_PATIENCE_MS);
        return sites.filter(({ tls }) => tls !== null).map(certificateOf);
      } catch (error) {
        throw silent(error);
      }
    },

    close: errorLog.close,
  };
}

const silent = (error: unknown) =>
  error instanceof AdminUnreachable
    ? new Failure('PROXY_UNREACHABLE', 'The proxy does not answer.', { cause: error })
    : error;

const targetOf = (name: string, { host, port }: LiveTls): Target => ({ host, port, name });

/** The names that may be asked for. */
function targetsOf(sites: readonly LiveSite[]): Target[] {
  return sites.flatMap(({ name, tls }) =>
    tls === null || tls.onDemand || name === '' ? [] : [targetOf(name, tls)],
  );
}

async function within(work: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
