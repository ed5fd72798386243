/** The state of each live site: its certificate, upstreams and last errors. */
import { within } from '../../src/shared/async.ts';
import type { Json } from '../../src/shared/json.ts';
import type { LogEntry } from '../../src/shared/wire/logs.ts';
import type { CertificatesAnswer, SiteState } from '../../src/shared/wire/sites.ts';
import { type Admin, reachable } from '../caddy/admin.ts';
import type { Watch } from '../caddy/watch.ts';
import type { IsCheck } from '../logs/line/classifier.ts';
import type { Pace } from '../pace.ts';
import { signingOf } from './authorities.ts';
import { type Certified, createCertificates } from './certificates.ts';
import { createErrorLog, readRequestErrors } from './error-log.ts';
import { handshake } from './handshake.ts';
import { createLive, type Live } from './live.ts';
import type { LiveSite, LiveTls } from './live-sites.ts';
import { readLogEvent } from './log-events.ts';
import { createSiteErrors } from './site-errors.ts';
import {
  createSiteUpstreams,
  type SitesHow,
  type SiteUpstreamsDeps,
} from './upstreams/site-upstreams.ts';

type ProxyStateDeps = Omit<SiteUpstreamsDeps, 'admin' | 'siteErrors' | 'pace'> & {
  admin: Admin;
  /** Shared with everything else that asks for the live digest. */
  watch: Watch;
  /** The file of the agent's own error logger. */
  errorLog: string;
  /** Whether a failed request was only a check: what that found is in its answer. */
  isCheck: IsCheck;
  pace: Pick<Pace, 'certificates' | 'live' | 'upstreams'>;
};

export type ProxyState = {
  /**
   * The state of each site, or only of the sites in `names`; waits for handshakes and dials for a while.
   * @param how see `SitesRequest`
   * @throws Failure PROXY_UNREACHABLE
   */
  sites(names?: readonly string[], how?: SitesHow): Promise<SiteState[]>;
  /** The certificates of all names, mostly those already known. @throws as `sites` */
  certificates(): Promise<CertificatesAnswer['sites']>;
  /** The sites of the live configuration. @throws AdminUnreachable */
  live: Live['now'];
  lastLive: Live['last'];
  /** Dials the upstreams of the live configuration from now on, and again and again. */
  begin(): void;
  /** Looks soon whether there are others; call it after a reload. */
  look(): void;
  /** Adds to entries with details what went wrong, as far as the proxy said. */
  explain<Page extends { logs?: (LogEntry | null)[] }>(page: Page): Promise<Page>;
  end(): Promise<void>;
};

/** How long an answer waits for handshakes; later ones are in the next answer. */
const TIMEOUT_MS = 3_000;
/** Shorter, because a list of certificates is polled. */
const LIST_TIMEOUT_MS = 500;

export function createProxyState(deps: ProxyStateDeps): ProxyState {
  const { pace, now } = deps;
  const certificates = createCertificates(handshake, pace.certificates, now);
  const errorLog = createErrorLog(deps.errorLog);
  const siteErrors = createSiteErrors(now, async (host, since) => {
    const newest = await deps.newestRequest(host);
    // Caddy logs status 0 for an aborted request.
    return (
      newest !== null &&
      Date.parse(newest.timestamp) >= since &&
      newest.status > 0 &&
      newest.status < 500
    );
  });
  const upstreams = createSiteUpstreams({ ...deps, siteErrors });
  const live = createLive(deps.admin, deps.watch, pace.live, (sites) => {
    certificates.keep(targetsOf(sites));
    certificates.expire();
    upstreams.keep(sites);
  });

  async function readErrors(sites: readonly LiveSite[]): Promise<void> {
    const lines = await errorLog.read();
    const events = lines.flatMap((line) => readLogEvent(line, deps.isCheck) ?? []);
    const renewed = new Set(siteErrors.record(events, sites));
    if (renewed.size > 0) certificates.expire((name) => renewed.has(name));
  }

  const refresh = (sites: readonly LiveSite[], milliseconds: number): Promise<void> =>
    within(certificates.refresh(targetsOf(sites)), milliseconds, () => undefined);

  function certificateOf({
    name,
    ports,
    tls,
  }: LiveSite): Omit<CertificatesAnswer['sites'][number], 'error'> {
    const nothing = { certificate: null, reason: null, checkedAt: null };
    const site = {
      name,
      ports: [...ports],
      tls: tls !== null,
      automated: tls?.automated ?? false,
      kept: tls?.kept ?? false,
      ...signingOf(tls),
    };
    if (tls === null || name === '') return { ...site, ...nothing };
    if (tls.onDemand) {
      const reason = 'Issued on demand: a handshake could request it, so none is made.';
      return { ...site, ...nothing, reason };
    }
    const last = certificates.last(targetOf(name, tls));
    if (last === null) return { ...site, ...nothing };
    return {
      ...site,
      certificate: last.certificate,
      reason: last.certificate === null ? last.reason : null,
      checkedAt: last.at.toISOString(),
    };
  }

  return {
    async sites(names, how = {}) {
      try {
        const all = await live.now();
        await readErrors(all);
        const wanted = names && new Set(names);
        const sites = wanted ? all.filter(({ name }) => wanted.has(name)) : all;
        const [upstreamsOf] = await Promise.all([
          upstreams.read(sites, all, how),
          refresh(sites, how.wait ?? TIMEOUT_MS),
        ]);
        return sites.map((site) => ({
          ...certificateOf(site),
          upstreams: upstreamsOf(site),
          errors: siteErrors.errorsOf(site),
        }));
      } catch (error) {
        throw reachable(error);
      }
    },

    async certificates() {
      try {
        const sites = await live.now();
        await readErrors(sites);
        await refresh(sites, LIST_TIMEOUT_MS);
        return sites
          .filter(({ tls }) => tls !== null)
          .map((site) => ({ ...certificateOf(site), error: siteErrors.acmeErrorOf(site) }));
      } catch (error) {
        throw reachable(error);
      }
    },

    live: live.now,
    lastLive: live.last,

    begin() {
      if (deps.prober) live.begin();
    },
    look: live.look,

    async explain(page) {
      const hasFailed = (entry: LogEntry | null): entry is LogEntry =>
        entry?.details !== undefined && (entry.status === 0 || entry.status >= 400);
      if (!page.logs?.some(hasFailed)) return page;
      const reasonOf = await readRequestErrors(deps.errorLog);
      const logs = page.logs.map((entry) => {
        const error = hasFailed(entry) ? reasonOf(entry.details as Json) : null;
        return error === null ? entry : { ...entry, error };
      });
      return { ...page, logs };
    },

    async end() {
      await Promise.all([live.end(), deps.prober?.end()]);
      await errorLog.close();
    },
  };
}

const targetOf = (name: string, { host, port, automated }: LiveTls): Certified => ({
  host,
  port,
  name,
  automated,
});

/** The names that can be asked for without side effects. */
function targetsOf(sites: readonly LiveSite[]): Certified[] {
  return sites.flatMap(({ name, tls }) =>
    tls === null || tls.onDemand || name === '' ? [] : [targetOf(name, tls)],
  );
}
