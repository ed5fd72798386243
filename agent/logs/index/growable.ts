/** Typed arrays that grow. */
export type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** A class of typed arrays. */
export type Kind<T extends Numbers> = {
  new (length: number): T;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** A typed array that grows as values are added. */
type Growable<T extends Numbers> = {
  readonly length: number;
  /** The current array; values beyond `length` are undefined. */
  readonly values: T;
  push(value: number): void;
  clear(): void;
};

export function growable<T extends Numbers>(kind: Kind<T>): Growable<T> {
  let values = new kind(16);
  let length = 0;

  return {
    get length() {
      return length;
    },
    get values() {
      return values;
    },
    push(value) {
      if (length === values.length) {
        const larger = new kind(2 * length);
        larger.set(values);
        values = larger;
      }
      values[length++] = value;
    },
    clear() {
      length = 0;
    },
  };
}
