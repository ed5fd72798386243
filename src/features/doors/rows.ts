/** What the findings say of each site, the most surprising first. Pure. */
import { policiesOn } from '../../hub/model/applied.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { isHomeOnly } from './close.ts';
import type { Finding } from './findings.ts';
import type { DoorView } from './schemas.ts';
import { OPENS, type Opens, widest } from './shared/opens.ts';
import type { Got, Visits } from './wire.ts';
import { isGuard } from './words.ts';

type Circumstances = {
  set: SiteSet;
  now: Date;
  /** How far back the log was read. */
  days: number;
  /** Whether the log has the addresses of visitors. */
  knowsVisitors: boolean;
};

/** Days of the log without a visitor from outside after which a site may be closed. */
const QUIET_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
/** Where nobody is served who has not shown who they are. */
const KNOWN: readonly Opens[] = ['sign-in', 'password', 'certificate'];
const OFF: Got = { path: '/', opensTo: 'nobody', status: null };

export function rowsOf(findings: readonly Finding[], about: Circumstances): DoorView[] {
  const by = Map.groupBy(findings, ({ vhost }) => vhost.id);
  return about.set.vhosts
    .map((vhost) => rowOf(vhost, by.get(vhost.id) ?? [], about))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.domain.localeCompare(b.domain, 'en'));
}

function rowOf(vhost: Vhost, findings: readonly Finding[], about: Circumstances): DoorView {
  const got = distinct(findings.flatMap((one) => one.got));
  // Where everything only leads to HTTPS, that is what anyone gets.
  const open: Got = { path: '/', opensTo: 'anyone', status: null };
  const first = widest(got) ?? (findings.length === 0 ? OFF : open);
  const { path, status, opensTo, reason } = first;
  const visits = findings.flatMap((one) => one.visits ?? []);
  const sum = (count: (one: Visits) => number) =>
    visits.reduce((total, one) => total + count(one), 0);
  const times = visits.flatMap(({ last }) => last ?? []);
  const named = sum((one) => one.named);
  const came = {
    home: sum((one) => one.home),
    outside: sum((one) => one.outside),
    signedIn: KNOWN.includes(opensTo)
      ? Math.max(
          named,
          sum((one) => one.served),
        )
      : named,
    refused: sum((one) => one.refused),
    last: times.length === 0 ? null : new Date(Math.max(...times)).toISOString(),
    ...(findings.some(({ log }) => log?.complete !== true) && { incomplete: true as const }),
  };
  const isQuiet =
    opensTo === 'anyone' &&
    came.home > 0 &&
    came.outside === 0 &&
    about.knowsVisitors &&
    about.days >= QUIET_DAYS &&
    findings.every(({ log }) => isLong(log, vhost, about.now));
  const { id, domain } = vhost;
  return {
    vhost: id,
    domain,
    opensTo,
    proof: { path, status },
    ...(reason !== undefined && { reason }),
    paths: got
      .filter((one) => one.opensTo !== opensTo)
      .map((one) => ({ path: one.path, opensTo: one.opensTo })),
    by: policiesOn(vhost, about.set)
      .filter(({ recipe }) => isGuard(recipe))
      .map(({ name }) => name),
    came,
    proposal: isQuiet ? proposalFor(id, about.set) : null,
  };
}

/** Of several addresses, and proxies, the widest for each path. */
function distinct(all: readonly Got[]): Got[] {
  const by = Map.groupBy(all, ({ path }) => path);
  return [...by.values()].flatMap((same) => widest(same) ?? []);
}

/** Whether the log would have a visitor of the last month. */
const isLong = (log: Finding['log'], vhost: Vhost, now: Date): boolean => {
  const from = now.getTime() - QUIET_DAYS * DAY_MS;
  // A change of a site for some proxies may have moved it there from another one, which has its visitors in its log.
  const placed = vhost.agents.length > 0 ? vhost.updatedAt : vhost.createdAt;
  return log?.complete === true && (log.since ?? now.getTime()) <= from && +placed <= from;
};

const proposalFor = (id: number, { policies }: SiteSet): NonNullable<DoorView['proposal']> => ({
  policy: policies.find(isHomeOnly)?.name ?? null,
  operation: { vhosts: [id] },
});

/** First what nobody uses from outside, then what lets in the most. */
function rankOf({ proposal, opensTo, came }: DoorView): number {
  if (proposal) return 0;
  const isUnused = opensTo === 'anyone' && came.outside === 0;
  return 1 + 2 * OPENS.indexOf(opensTo) + (isUnused ? 0 : 1);
}
