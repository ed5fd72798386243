/** Who from outside was let in to hosts before a time, and has been refused since. */
import type { Deadline } from '../../../src/shared/async.ts';
import { blocksBetween } from '../index/block.ts';
import type { IndexedSegment, Snapshot } from '../index/log-index.ts';
import { addressHash } from '../line/address.ts';
import { type Hosts, hostsIn } from '../line/entry.ts';
import type { BlockReader } from './block-reader.ts';
import { isHomeAddress } from './home.ts';

/**
 * `hosts`: names and patterns, as `hostsIn` reads them; `except`: those of them that are other sites'. `refusals`: the
 * statuses of a refusal. `from` and `since` are in milliseconds since 1970: visitors before `from` do not count.
 */
export type ShutOutFilter = {
  hosts: readonly string[];
  except: readonly string[];
  refusals: readonly number[];
  from: number;
  since: number;
};

/** An address, and when it was refused first, in milliseconds since 1970. */
export type ShutOut = { ip: string; at: number };

type Tools = { reader: BlockReader; deadline: Deadline; signal: AbortSignal };

/** Of which entries: in [from, to). `ips`: null for any. */
type Wanted = {
  hosts: Hosts;
  except: ReadonlySet<string>;
  status: (status: number) => boolean;
  from: number;
  to: number;
  ips: readonly string[] | null;
};
type Visit = (visit: { ip: string; time: number; status: number }) => void;

/** The most addresses that are kept, because strangers may have many. */
const MOST_VISITORS = 20_000;
/** Of those refused, the ones that are looked for among earlier visitors: the last. */
const MOST_REFUSED = 1_000;

const isLetIn = (status: number): boolean => status >= 200 && status < 400;

/**
 * Those who have not been let in again since their first refusal, the last refused first. If the deadline passes, some
 * may be missing.
 * @throws SegmentGone, and the reason of the signal
 */
export async function readShutOut(
  snapshot: Snapshot,
  { hosts, except, refusals, from, since }: ShutOutFilter,
  tools: Tools,
): Promise<ShutOut[]> {
  const named = {
    hosts: hostsIn(hosts.join(' ')),
    except: new Set(hostsIn(except.join(' ')).names),
  };
  const isRefusal = (status: number) => refusals.includes(status);
  const seen = new Map<string, { refused: number; letIn: number }>();
  await walk(
    snapshot,
    {
      ...named,
      status: (status) => isRefusal(status) || isLetIn(status),
      from: since,
      to: Number.POSITIVE_INFINITY,
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
  const refused = [...seen]
    .filter(([, one]) => one.refused < Number.POSITIVE_INFINITY && one.letIn < one.refused)
    .map(([ip, one]) => ({ ip, at: one.refused }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_REFUSED);
  if (refused.length === 0) return [];
  const came = new Set<string>();
  await walk(
    snapshot,
    { ...named, status: isLetIn, from, to: since, ips: refused.map(({ ip }) => ip) },
    tools,
    ({ ip }) => came.add(ip),
  );
  return refused.filter(({ ip }) => came.has(ip));
}

/** Reads what is wanted, the newest blocks first, until the deadline. */
async function walk(snapshot: Snapshot, wanted: Wanted, tools: Tools, visit: Visit): Promise<void> {
  const hashes = wanted.ips?.map(addressHash);
  for (const segment of snapshot.segments) {
    if (tools.deadline.hasPassed()) return;
    await walkSegment(segment, { ...wanted, hashes }, tools, visit);
  }
}

async function walkSegment(
  indexed: IndexedSegment,
  { hosts, except, status, from, to, ips, hashes }: Wanted & { hashes: number[] | undefined },
  { reader, deadline, signal }: Tools,
  visit: Visit,
): Promise<void> {
  const { index } = indexed;
  const view = index.view({ hosts, status, visitors: true });
  const { wanted } = view.selection;
  const described = Array.from(wanted, (_, pair) => index.pairs.describe(pair));
  const addresses = ips && new Set(ips);
  const blocks = blocksBetween(view.blocks(), from, to).filter(
    (block) => hashes?.some((hash) => index.mayHave(block, hash)) ?? true,
  );
  const walked = reader.walk(indexed, blocks, (entry) => {
    const pair = described[entry.pair];
    const isWanted = wanted[entry.pair] === 1 && entry.time >= from && entry.time < to;
    if (!pair || !isWanted) return;
    const { ip } = entry.request();
    if (addresses && !addresses.has(ip)) return;
    const host = pair.domain ?? entry.facts()?.key ?? '';
    if (hosts.has(host) && !except.has(host)) visit({ ip, time: entry.time, status: pair.status });
  });
  for await (const _ of walked) {
    signal.throwIfAborted();
    if (deadline.hasPassed()) return;
    await deadline.yieldTurn();
  }
}
