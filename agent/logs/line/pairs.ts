/** Numbers for the pairs of domain and status of one segment; those of checks have numbers of their own. */
import { type Hosts, hostKey } from './entry.ts';
import { HASH_SEED, hashByte } from './scanned-line.ts';

/**
 * Each pair has a small number, so that the index can count in typed arrays. Clients may send any
 * Host, so the number of domains is limited. All further ones share the domain OTHER, and a query
 * for one of them has to read the lines.
 */
export type Pairs = {
  /** The pair of a visitor's host that is in the log (as printable ASCII) at [start, end) of a buffer. */
  ofBytes(buffer: Buffer, start: number, end: number, hash: number, status: number): number;
  /** The pair of a host as `hostKey` makes it. */
  ofKey(key: string, status: number, check: boolean): number;
  readonly length: number;
  /** What a number stands for; the domain is undefined for OTHER. */
  describe(pair: number): { domain: string | undefined; status: number };
  /** All that is needed to make the same numbers again. */
  list(): PairList;
  /** The pairs that a filter matches. */
  select(wanted: Wanted): Selection;
};

/** Selects lines by host and status, with or without those of checks. */
export type Wanted = {
  hosts?: Hosts | undefined;
  status?: ((status: number) => boolean) | undefined;
  /** Only what visitors requested. */
  visitors?: boolean;
};

/**
 * The selected pairs (`all`: there are no others), as a list and as ones in a table by pair. `certain`:
 * every line of these pairs matches; otherwise some are of OTHER, some of whose lines may match.
 */
export type Selection = {
  ids: readonly number[];
  wanted: Uint8Array;
  certain: boolean;
  all: boolean;
};

/** Pairs by number, with the number of their domain in `names`; `overflowed`: some are of OTHER. */
export type PairList = {
  names: string[];
  pairs: { domain: number; status: number; check?: true }[];
  overflowed: boolean;
};

const MAX_DOMAINS = 16_384;
// The longest name that DNS allows.
const MAX_DOMAIN_LENGTH = 255;
const MAX_SLOTS = 65_536;
const OTHER = -1;

type Slot = { host: Uint8Array; hash: number; status: number; pair: number };

/** @param initial the first pairs; the result owns it */
export function createPairs(
  initial: PairList = { names: [], pairs: [], overflowed: false },
): Pairs {
  const { names, pairs } = initial;
  let { overflowed } = initial;
  const domains = new Map(names.map((name, domain) => [name, domain]));
  // For each status, the pair of each domain: there are few statuses, but may be many domains.
  const [ofVisitors, ofChecks] = [newTable(), newTable()];
  // A hash table over the bytes of hosts: a known host needs no string.
  let slots: (Slot | undefined)[] = new Array(256).fill(undefined);
  let used = 0;
  for (const [number, { domain, status, check }] of pairs.entries()) {
    mapOf(status, check === true).set(domain, number);
  }

  function mapOf(status: number, check: boolean): Map<number, number> {
    const table = check ? ofChecks : ofVisitors;
    const known = table.get(status) ?? new Map<number, number>();
    table.set(status, known);
    return known;
  }

  function ofKey(key: string, status: number, check: boolean): number {
    let domain = domains.get(key);
    if (domain === undefined) {
      if (domains.size < MAX_DOMAINS && key.length <= MAX_DOMAIN_LENGTH) {
        domain = names.push(key) - 1;
        domains.set(key, domain);
      } else {
        domain = OTHER;
        overflowed = true;
      }
    }
    const ofStatus = mapOf(status, check);
    let pair = ofStatus.get(domain);
    if (pair === undefined) {
      pair = pairs.push({ domain, status, ...(check && { check }) }) - 1;
      ofStatus.set(domain, pair);
    }
    return pair;
  }

  function insert(slot: Slot): void {
    const mask = slots.length - 1;
    let i = slotOf(slot.hash, slot.status) & mask;
    while (slots[i]) i = (i + 1) & mask;
    slots[i] = slot;
  }

  function remember(slot: Slot): void {
    if (used * 2 >= slots.length) {
      if (slots.length >= MAX_SLOTS) return;
      const old = slots;
      slots = new Array(old.length * 2).fill(undefined);
      for (const each of old) if (each) insert(each);
    }
    insert(slot);
    used++;
  }

  /** With OTHER if some of the hosts may be there. */
  function domainsOf({ names: wanted, hasPattern, has }: Hosts): Set<number> {
    const found = new Set(wanted.map((name) => domains.get(name) ?? OTHER));
    if (!hasPattern) return found;
    found.add(OTHER);
    for (const [name, domain] of domains) if (has(name)) found.add(domain);
    return found;
  }

  return {
    ofKey,

    get length() {
      return pairs.length;
    },

    list: () => ({ names, pairs, overflowed }),

    describe(pair) {
      const { domain = OTHER, status = 0 } = pairs[pair] ?? {};
      return { domain: names[domain], status };
    },

    ofBytes(buffer, start, end, hash, status) {
      const mask = slots.length - 1;
      for (let i = slotOf(hash, status) & mask; ; i = (i + 1) & mask) {
        const slot = slots[i];
        if (!slot) break;
        if (slot.hash === hash && slot.status === status && same(slot.host, buffer, start, end)) {
          return slot.pair;
        }
      }
      const pair = ofKey(hostKey(buffer.toString('latin1', start, end)), status, false);
      // A longer host is more likely noise than a name with a port.
      if (end - start <= MAX_DOMAIN_LENGTH) {
        remember({ host: new Uint8Array(buffer.subarray(start, end)), hash, status, pair });
      }
      return pair;
    },

    select({ hosts, status, visitors = false }) {
      const chosen = hosts && domainsOf(hosts);
      const certain = !overflowed || !chosen?.has(OTHER);
      const ids: number[] = [];
      const wanted = new Uint8Array(pairs.length);
      for (const [id, pair] of pairs.entries()) {
        if (chosen && !chosen.has(pair.domain)) continue;
        if (status && !status(pair.status)) continue;
        if (visitors && pair.check) continue;
        ids.push(id);
        wanted[id] = 1;
      }
      return { ids, wanted, certain, all: ids.length === pairs.length };
    },
  };
}

const newTable = () => new Map<number, Map<number, number>>();

function slotOf(hash: number, status: number): number {
  const mixed = hashByte(hash ^ HASH_SEED, status);
  return mixed ^ (mixed >>> 15);
}

function same(host: Uint8Array, buffer: Buffer, start: number, end: number): boolean {
  if (host.length !== end - start) return false;
  for (let i = 0; i < host.length; i++) if (host[i] !== buffer[start + i]) return false;
  return true;
}
