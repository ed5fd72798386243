/** Who from outside has been refused at hosts since a time, and which of them were let in, before or afterwards. */
import type { Snapshot } from '../index/log-index.ts';
import { addressHash } from '../line/address.ts';
import { type Hosts, hostsIn } from '../line/entry.ts';
import { isHomeAddress } from './home.ts';
import { type VisitorTools, walkVisitors } from './visitors.ts';

/** Of requests for hosts: names and patterns, as `hostsIn` reads them; `except`: those of them that are other sites'. */
type Requests = { hosts: readonly string[]; except: readonly string[] };

/** `refusals`: the statuses of a refusal; `since`: in milliseconds since 1970. */
export type RefusedFilter = Requests & { refusals: readonly number[]; since: number };

/** An address, and when it was refused first, in milliseconds since 1970. */
export type Refused = { ip: string; at: number };

/** `from`: in milliseconds since 1970; visitors before it do not count. */
export type LetInFilter = Requests & { ips: readonly string[]; from: number };

/** An address, and when it was let in first and last, in milliseconds since 1970. */
export type LetIn = { ip: string; first: number; last: number };

/** Of which entries: since `from`. `ips`: null for any. */
type Wanted = {
  hosts: Hosts;
  except: ReadonlySet<string>;
  status: (status: number) => boolean;
  from: number;
  ips: readonly string[] | null;
};
type Visit = (visit: { ip: string; time: number; status: number }) => void;

/** The most addresses that are kept, because strangers may have many. */
const MOST_VISITORS = 20_000;
/** Of those refused, the last. */
const MOST_REFUSED = 1_000;

/** By which Caddy leads to HTTPS, also those whom it refuses there. */
const TO_HTTPS = 308;

const isLetIn = (status: number): boolean => status >= 200 && status < 400 && status !== TO_HTTPS;

/**
 * Those who have not been let in again since their first refusal, the last refused first. If the deadline passes, some
 * may be missing.
 * @throws SegmentGone, and the reason of the signal
 */
export async function readRefused(
  snapshot: Snapshot,
  { hosts, except, refusals, since }: RefusedFilter,
  tools: VisitorTools,
): Promise<Refused[]> {
  const isRefusal = (status: number) => refusals.includes(status);
  const seen = new Map<string, { refused: number; letIn: number }>();
  await walk(
    snapshot,
    {
      ...named({ hosts, except }),
      status: (status) => isRefusal(status) || isLetIn(status),
      from: since,
      ips: null,
    },
    tools,
    ({ ip, time, status }) => {
      const known = seen.get(ip);
      if (!known && (seen.size === MOST_VISITORS || isHomeAddress(ip))) return;
      const { refused, letIn } = known ?? { refused: Number.POSITIVE_INFINITY, letIn: 0 };
      seen.set(ip, {
        refused: isRefusal(status) ? Math.min(refused, time) : refused,
        letIn: isRefusal(status) ? letIn : Math.max(letIn, time),
      });
    },
  );
  return [...seen]
    .filter(([, one]) => one.refused < Number.POSITIVE_INFINITY && one.letIn < one.refused)
    .map(([ip, one]) => ({ ip, at: one.refused }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_REFUSED);
}

/**
 * Those of the addresses that were let in. If the deadline passes, some may be missing.
 * @throws as `readRefused`
 */
export async function readLetIn(
  snapshot: Snapshot,
  { hosts, except, ips, from }: LetInFilter,
  tools: VisitorTools,
): Promise<LetIn[]> {
  const found = new Map<string, LetIn>();
  const wanted = { ...named({ hosts, except }), status: isLetIn, from, ips };
  await walk(snapshot, wanted, tools, ({ ip, time }) => {
    const { first, last } = found.get(ip) ?? { first: time, last: time };
    found.set(ip, { ip, first: Math.min(first, time), last: Math.max(last, time) });
  });
  return [...found.values()];
}

const named = ({ hosts, except }: Requests) => ({
  hosts: hostsIn(hosts.join(' ')),
  except: new Set(hostsIn(except.join(' ')).names),
});

/** Visits what is wanted; if the deadline passes, the newest of it. */
async function walk(
  snapshot: Snapshot,
  { hosts, except, status, from, ips }: Wanted,
  tools: VisitorTools,
  visit: Visit,
): Promise<void> {
  const hashes = ips?.map(addressHash);
  const addresses = ips && new Set(ips);
  await walkVisitors(
    snapshot,
    {
      hosts,
      status,
      from,
      mayHave: (index, block) => hashes?.some((hash) => index.mayHave(block, hash)) ?? true,
    },
    tools,
    (entry, pair) => {
      const ip = entry.ip();
      if (addresses && !addresses.has(ip)) return;
      const host = pair.domain ?? entry.facts()?.key ?? '';
      if (hosts.has(host) && !except.has(host)) {
        visit({ ip, time: entry.time, status: pair.status });
      }
    },
  );
}
