/** Computes what follows from an object that never changes, once. */

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
