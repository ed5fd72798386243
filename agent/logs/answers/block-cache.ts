/** Keeps what was made of the blocks used last, up to a total size. */

type BlockCache<T> = {
  get(key: string): T | undefined;
  put(key: string, block: T): void;
  clear(): void;
};

/** @param maxBytes limit on the sum of `sizeOf` over all blocks kept */
export function createBlockCache<T>(maxBytes: number, sizeOf: (block: T) => number): BlockCache<T> {
  // In the order of their last use.
  const blocks = new Map<string, T>();
  let bytes = 0;

  function drop(key: string): void {
    const block = blocks.get(key);
    if (block !== undefined) bytes -= sizeOf(block);
    blocks.delete(key);
  }

  return {
    get(key) {
      const block = blocks.get(key);
      if (block === undefined) return undefined;
      blocks.delete(key);
      blocks.set(key, block);
      return block;
    },
    put(key, block) {
      drop(key);
      blocks.set(key, block);
      bytes += sizeOf(block);
      for (const oldest of blocks.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    clear() {
      blocks.clear();
      bytes = 0;
    },
  };
}
