/** The blocks used last, up to a number of bytes. */
export type BlockCache = {
  get(key: string): Buffer | undefined;
  put(key: string, block: Buffer): void;
  clear(): void;
};

export function createBlockCache(maxBytes: number): BlockCache {
  // In the order of their last use.
  const blocks = new Map<string, Buffer>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= blocks.get(key)?.length ?? 0;
    blocks.delete(key);
  }

  return {
    get(key) {
      const block = blocks.get(key);
      if (!block) return undefined;
      blocks.delete(key);
      blocks.set(key, block);
      return block;
    },
    put(key, block) {
      drop(key);
      blocks.set(key, block);
      bytes += block.length;
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
