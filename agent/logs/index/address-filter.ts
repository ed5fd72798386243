/**
 * A Bloom filter of the addresses in a block: who looks for one of them need not read most blocks
 * without it. The length of a filter is a power of two.
 */

/** 1 KiB: if all lines of a block have different addresses, one in eleven others seems to be there. */
const WORDS = 256;
const FEWEST_WORDS = 8;
/** The best number for a filter as full as that. */
const BITS_PER_ADDRESS = 3;
/** The share of bits set in a filter that was made smaller: one in eight others seems to be there. */
const FULLEST = 1 / 2;

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
