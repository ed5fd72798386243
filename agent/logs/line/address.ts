/** The address of a request: how addresses are compared, and their hashes. */
import { NINE, ZERO } from './bytes.ts';

/** Makes all spellings of an IPv6 address equal; anything else, such as IPv4, is left unchanged. */
export function canonicalIp(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (!bare.includes(':')) return bare;
  try {
    return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  } catch {
    return bare.toLowerCase();
  }
}

/** The same 32 bits for all spellings of an address; always the same, because filters are stored. */
export function addressHash(address: string): number {
  const bytes = Buffer.from(canonicalIp(address));
  return plainAddressHash(bytes, 0, bytes.length) ?? Bun.hash.xxHash32(bytes) | 0;
}

const COLON = 0x3a;
const [LOWER_A, LOWER_F] = [0x61, 0x66];
const TO_LOWER = 0x20;

/**
 * As `addressHash`, of the bytes [start, end) of a buffer. Undefined if they have to be made canonical
 * before, as neither IPv4 has to be nor IPv6 without a dot or a zone.
 */
export function plainAddressHash(buffer: Buffer, start: number, end: number): number | undefined {
  let hash = 0;
  for (let i = start; i < end; i++) {
    const byte = buffer[i] as number;
    if (byte > NINE) return groupsHash(buffer, start, end);
    hash = withValue(hash, byte);
  }
  return mixed(hash);
}

/** Made of the groups of IPv6 that are not zero, so that all spellings have the same hash. */
function groupsHash(buffer: Buffer, start: number, end: number): number | undefined {
  let hash = 0;
  let group = 0;
  for (let i = start; i < end; i++) {
    const byte = buffer[i] as number;
    const letter = byte | TO_LOWER;
    if (byte >= ZERO && byte <= NINE) {
      group = (group << 4) | (byte - ZERO);
    } else if (letter >= LOWER_A && letter <= LOWER_F) {
      group = (group << 4) | (letter - LOWER_A + 10);
    } else if (byte === COLON) {
      if (group !== 0) hash = withValue(hash, group);
      group = 0;
    } else {
      return undefined;
    }
  }
  return mixed(group === 0 ? hash : withValue(hash, group));
}

// 31 times as much and the value; faster than a multiplication.
const withValue = (hash: number, value: number): number => ((hash << 5) + value - hash) | 0;

// The finalizer of MurmurHash3.
function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** 1 KiB: if all lines of a block have different addresses, one in eleven others seems to be there. */
const WORDS = 256;
const FEWEST_WORDS = 8;
/** The best number for a filter as full as that. */
const BITS_PER_ADDRESS = 3;
/** The share of bits set in a filter that was made smaller: one in eight others seems to be there. */
const FULLEST = 1 / 2;

/**
 * A Bloom filter of the addresses in a block: who looks for one of them need not read most blocks
 * without it. The length of a filter is a power of two.
 */
export const createAddressFilter = (): Uint32Array => new Uint32Array(WORDS);

/** Adds an address by its hash. */
export function addAddress(filter: Uint32Array, hash: number): void {
  const last = filter.length - 1;
  const step = (hash >>> 16) | 1;
  for (let i = 0, bit = hash; i < BITS_PER_ADDRESS; i++, bit = (bit + step) | 0) {
    const word = (bit >>> 5) & last;
    filter[word] = (filter[word] as number) | (1 << bit);
  }
}

/** False if no address with this hash was added. */
export function mayHaveAddress(filter: Uint32Array, hash: number): boolean {
  const last = filter.length - 1;
  const step = (hash >>> 16) | 1;
  for (let i = 0, bit = hash; i < BITS_PER_ADDRESS; i++, bit = (bit + step) | 0) {
    if (((filter[(bit >>> 5) & last] as number) & (1 << bit)) === 0) return false;
  }
  return true;
}

/** A copy that is as small as its addresses allow: most blocks have the same few again and again. */
export function shrunk(filter: Uint32Array): Uint32Array {
  let smallest = filter.slice();
  while (smallest.length > FEWEST_WORDS) {
    // A bit of either half is the same bit of a filter half as long.
    const half = smallest.length / 2;
    const folded = smallest.slice(0, half);
    for (let i = 0; i < half; i++) {
      folded[i] = (folded[i] as number) | (smallest[i + half] as number);
    }
    if (bitsIn(folded) > FULLEST * 32 * half) break;
    smallest = folded;
  }
  return smallest;
}

function bitsIn(words: Uint32Array): number {
  let bits = 0;
  for (let rest of words) {
    for (; rest !== 0; rest &= rest - 1) bits++;
  }
  return bits;
}
