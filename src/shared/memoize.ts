/** Computes once what stays as it is, and keeps what may be asked for again. */

/** `make`, with its result kept for as long as its argument lives; the argument must be immutable. */
export function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** What `load` brings, loaded at the first call; after a failure, the next call tries again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

type Cache<T> = {
  get(key: string): T | undefined;
  put(key: string, value: T): void;
  clear(): void;
};

/**
 * Keeps the values that were used last.
 * @param limit of the sum of `sizeOf` over all of them; by default of their number
 */
export function createCache<T>(limit: number, sizeOf: (value: T) => number = () => 1): Cache<T> {
  // In the order of their last use.
  const values = new Map<string, T>();
  let size = 0;

  function drop(key: string): void {
    const value = values.get(key);
    if (value !== undefined) size -= sizeOf(value);
    values.delete(key);
  }

  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    put(key, value) {
      drop(key);
      values.set(key, value);
      size += sizeOf(value);
      for (const oldest of values.keys()) {
        if (size <= limit) break;
        drop(oldest);
      }
    },
    clear() {
      values.clear();
      size = 0;
    },
  };
}
