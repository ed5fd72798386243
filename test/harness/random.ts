/** Random choices that are the same for the same seed. */

export type Random = {
  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
};

/** Marsaglia's xorshift with 32 bits of state: fast, and good enough for test documents. */
export function seededRandom(seed: number): Random {
  let state = seed | 0 || 1;
  const below = (bound: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}
