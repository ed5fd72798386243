/** Keeps the sites of one agent's containers as their labels say. */

import { inputOf } from '../../hub/model/applied.ts';
import { type Change, ITSELF } from '../../hub/model/changes.ts';
import { containersOf } from '../../hub/model/source.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import { createQueue } from '../../shared/async.ts';
import { growing } from '../../shared/every.ts';
import { Failure, fullSentenceOf } from '../../shared/failure.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import { applyChange } from '../apply/plan.ts';
import { type AppliedSite, type Named, PLAIN_CONFIG, siteAtFault } from '../apply/schemas.ts';
import { assertPossible, type Claims, claimsOf, saidOf, sitesOf } from './wanted.ts';
import type { Container, Containers } from './wire.ts';

/** Milliseconds. */
type ContainersPace = Readonly<{
  /** How long containers have to stay as they are before their sites follow. */
  settles: number;
  /** From one publish to the next. */
  between: number;
  /** How long a container has to be gone before its site is deleted. */
  gone: number;
  /** Before what was refused is tried again: doubled each time, up to the longest. */
  firstPause: number;
  longestPause: number;
}>;

export type KeeperDeps = {
  publisher: Pick<Publisher, 'current' | 'apply'>;
  pace: ContainersPace;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  log: Log;
};

export type Keeper = {
  /** What the agent says now; null: it is not known, and nothing follows from that. */
  see(known: Containers | null): void;
  /** What the containers asked for last, and why some are no sites. */
  claims(): Claims;
  /** Those of the last list. */
  containers(): readonly Container[];
  /** Whether their sites are as they ask, or refused. */
  isSettled(): boolean;
  /** Why the site of a domain, in its normal form, is not as labels say; undefined if it is. */
  refusal(key: string): string | undefined;
  /** Resolves when nothing of it is under way. */
  end(): Promise<void>;
};

/** `said` was refused, so many times in a row, and is tried again when it is due. */
type Refused = { reason: string; said: string; failures: number; dueAt: number };

/** What becomes of a site; null: there is none. `present`: what says that `vhost` stays as it is. */
type Wanted = {
  key: string;
  site: AppliedSite | null;
  present: AppliedSite | null;
  vhost: Vhost | undefined;
};

/** What one of the sites of a document is at fault for, even if it does not say which. */
const REFUSALS: readonly string[] = ['PROXY_REJECTED', 'CHECK_FAILED', 'INVALID_REQUEST'];

/** Whether Caddy may refuse it, or its check may fail. */
const isRisky = (site: AppliedSite | null): boolean =>
  site !== null && (site.config !== PLAIN_CONFIG || Boolean(site.check));

/** @param name of the agent, as it is now */
export function createKeeper(name: () => string, deps: KeeperDeps): Keeper {
  const { publisher, pace, elapsed, log } = deps;
  const inOrder = createQueue();
  const refused = new Map<string, Refused>();
  /** Since when no container claims a site, by its id. */
  const goneSince = new Map<number, number>();
  let known: Containers | null = null;
  let last: readonly Container[] = [];
  let found: Claims = { claims: new Map(), reasons: new Map(), leadsToUnclear: () => false };
  const pauseAfter = (failed: number) => growing(failed, pace.firstPause, pace.longestPause);
  /** When the last publish ended; and since when there is something that no round has seen. */
  let publishedAt = Number.NEGATIVE_INFINITY;
  let changedAt: number | null = null;
  let failures = 0;
  let timer: Timer | undefined;
  let isStopped = false;
  let isSettled = false;

  function schedule(pause: number): void {
    clearTimeout(timer);
    if (isStopped || known === null) return;
    const wait = Math.max(pause, publishedAt + pace.between - elapsed());
    timer = setTimeout(() => void inOrder(round), wait);
  }

  /** Never fails. */
  async function round(): Promise<void> {
    if (known === null || isStopped) return;
    changedAt = null;
    try {
      const isPartial = await follow(containersOf(name()));
      failures = 0;
      isSettled = !isPartial && changedAt === null;
      const times = [
        ...(isPartial ? [elapsed()] : []),
        ...[...refused.values()].map(({ dueAt }) => dueAt),
        ...[...goneSince.values()].map((since) => since + pace.gone),
      ];
      if (times.length > 0) {
        scheduleNext(Math.max(Math.min(...times) - elapsed(), pace.settles));
      }
    } catch (error) {
      log('containers not followed', { agent: name(), reason: reasonOf(error) }, 'warn');
      scheduleNext(pauseAfter(++failures));
    }
  }

  /** Unless something has changed meanwhile, which comes first. */
  function scheduleNext(pause: number): void {
    if (changedAt === null) schedule(pause);
  }

  /**
   * Leaves out what is at fault. If that takes long, something else has changed meanwhile, or it is not known
   * which one it is, some wait for the next round.
   * @returns whether some do
   * @throws what no site is at fault for
   */
  async function follow(source: string): Promise<boolean> {
    const wanted = wantedOf(source);
    const end = elapsed() + pace.between;
    for (let isPartial = false; ; ) {
      const sites = [...wanted].flatMap(([domain, { site, present }]) =>
        site && site !== present ? [[domain, site] as const] : [],
      );
      try {
        const change = await applied(source, sites, [...wanted.values()]);
        const { group } = await publisher.apply(change, { ...ITSELF, via: `apply ${source}` });
        if (group !== null) publishedAt = elapsed();
        return isPartial;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const open = [...wanted.values()].filter(({ site, present }) => site !== present);
        const named = wanted.get(siteAtFault(error, sites) ?? '');
        const isOpen = named !== undefined && open.includes(named);
        if (!isOpen && !REFUSALS.includes(error.code)) throw error;
        const fault = isOpen ? named : open.length === 1 ? open[0] : undefined;
        if (fault) refuse(fault, error);
        else if (open.length === 0) throw error;
        const isLong = !fault || elapsed() > end;
        const share = changedAt !== null ? 1 / 8 : isLong ? 1 / 2 : 1;
        const rest = open.filter((one) => one !== fault);
        const late = laterOf(rest, share);
        isPartial ||= late.length > 0;
        for (const one of fault ? [fault, ...late] : late) one.site = one.present;
      }
    }
  }

  /** The change that makes sites so, and leaves or deletes the others. */
  async function applied(
    source: string,
    sites: Named<AppliedSite>,
    wanted: readonly Wanted[],
  ): Promise<Change<unknown>> {
    const left = wanted.filter(({ site, present }) => site !== null && site === present);
    const keeps = new Set(left.flatMap(({ vhost }) => vhost?.id ?? []));
    const document = { source, sites, policies: [], prune: true, keeps, adopt: false };
    const change = await applyChange(document, publisher.current());
    return (set, time) => {
      // What somebody has changed meanwhile is looked at again first.
      const there = new Set(set.vhosts);
      if (wanted.some(({ vhost }) => vhost && !there.has(vhost)))
        throw new Failure('STALE', 'Sites of containers were changed meanwhile.');
      return change(set, time);
    };
  }

  /** Of sites, those that wait: all but the least risky; if they are the same in that, all but a share. */
  function laterOf(open: readonly Wanted[], share: number): readonly Wanted[] {
    const riskOf = ({ key, site }: Wanted) => (refused.has(key) ? 2 : isRisky(site) ? 1 : 0);
    const least = Math.min(...open.map(riskOf));
    const riskier = open.filter((one) => riskOf(one) > least);
    return riskier.length > 0 ? riskier : open.slice(Math.ceil(open.length * share));
  }

  function refuse({ key, site }: Wanted, error: Failure): void {
    const said = JSON.stringify(site);
    const last = refused.get(key);
    const failures = last?.said === said ? last.failures + 1 : 1;
    const reason = fullSentenceOf(error);
    refused.set(key, { reason, said, failures, dueAt: elapsed() + pauseAfter(failures) });
    if (last?.reason === reason) return;
    log('container refused', { agent: name(), site: key, reason }, 'warn');
  }

  /** The sites of the source as they should be, by domain. */
  function wantedOf(source: string): Map<string, Wanted> {
    const set = publisher.current();
    const present = new Map(
      [...sitesOf(source, set)].map(([key, vhost]) => [key, { vhost, site: inputOf(vhost, set) }]),
    );
    const wanted = new Map<string, Wanted>();
    for (const [key, claim] of found.claims) {
      const before = present.get(key);
      const said = saidOf(claim, before, set, name());
      const known = refused.get(key);
      const isKnown = known?.said === JSON.stringify(said);
      if (!isKnown) refused.delete(key);
      const site = isKnown && known.dueAt > elapsed() ? before?.site : said;
      const domain = before?.vhost.domain ?? claim.domain;
      const one: Wanted = {
        key,
        site: site ?? null,
        present: before?.site ?? null,
        vhost: before?.vhost,
      };
      if (one.site !== one.present && !isPossible(domain, one, source, set)) one.site = one.present;
      wanted.set(domain, one);
    }
    const gone = [...present].filter(([key]) => !found.claims.has(key));
    for (const [key, { vhost, site }] of gone) {
      wanted.set(vhost.domain, { key, site: leftOf(vhost, site), present: site, vhost });
    }
    for (const key of refused.keys()) if (!found.claims.has(key)) refused.delete(key);
    const ids = new Set(gone.map(([, { vhost }]) => vhost.id));
    for (const id of goneSince.keys()) if (!ids.has(id)) goneSince.delete(id);
    return wanted;
  }

  /** If it is not, it is refused. */
  function isPossible(domain: string, one: Wanted, source: string, set: SiteSet): boolean {
    try {
      if (one.site) assertPossible(domain, one.site, source, set);
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refuse(one, error);
      return false;
    }
  }

  /** What is left of a site that no container claims: it is switched off, and deleted some time later. */
  function leftOf({ id }: Vhost, site: AppliedSite): AppliedSite | null {
    // It may be that of a container whose labels cannot be read.
    if (found.leadsToUnclear(site.upstream ?? '')) return site;
    const since = goneSince.get(id) ?? elapsed();
    goneSince.set(id, since);
    return elapsed() - since < pace.gone ? { ...site, enabled: false } : null;
  }

  return {
    see(next) {
      known = next?.containers ? next : null;
      if (!known) {
        goneSince.clear();
        return clearTimeout(timer);
      }
      last = known.containers ?? [];
      found = claimsOf(known);
      changedAt ??= elapsed();
      isSettled = false;
      schedule(Math.min(pace.settles, changedAt + pace.between - elapsed()));
    },
    claims: () => found,
    containers: () => last,
    isSettled: () => isSettled,
    refusal: (key) => refused.get(key)?.reason,
    async end() {
      isStopped = true;
      clearTimeout(timer);
      await inOrder(async () => {});
    },
  };
}
