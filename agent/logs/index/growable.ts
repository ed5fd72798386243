/** Typed arrays that grow. */
export type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** A class of typed arrays. */
export type Kind<T extends Numbers> = {
  new (length: number): T;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
};

/** A typed array that grows as values are added. */
export type Growable<T extends Numbers> = {
  readonly length: number;
  /** The current array, for loops; values beyond `length` are undefined. */
  readonly values: T;
  get(index: number): number;
  push(value: number): void;
  /** New elements may have any value. */
  resize(length: number): void;
  /** Adds to an element; missing elements up to this one start as 0. Not to be mixed with `resize`. */
  add(index: number, value: number): void;
};

/**
 * `Float64Array` for offsets and times, the others for counts and smaller numbers.
 * @param initial the first values; not copied until there are more
 */
export function growable<T extends Numbers>(kind: Kind<T>, initial = new kind(0)): Growable<T> {
  let values = initial;
  let { length } = initial;

  function reserve(wanted: number): void {
    if (wanted <= values.length) return;
    // By a quarter: doubling would leave up to half of a large index unused.
    const larger = new kind(Math.max(wanted, 16, values.length + (values.length >> 2)));
    larger.set(values);
    values = larger;
  }

  return {
    get length() {
      return length;
    },
    get values() {
      return values;
    },
    get: (index) => values[index] ?? 0,
    push(value) {
      if (length === values.length) reserve(length + 1);
      values[length++] = value;
    },
    resize(wanted) {
      reserve(wanted);
      length = wanted;
    },
    add(index, value) {
      reserve(index + 1);
      length = Math.max(length, index + 1);
      values[index] = (values[index] ?? 0) + value;
    },
  };
}
