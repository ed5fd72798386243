/** Typed arrays that grow, and many that share a buffer. */

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

/** A new array, filled with zeros. */
export type Arena = <T extends Numbers>(kind: Kind<T>, length: number) => T;

const BUFFER_BYTES = 1 << 18;
// Typed arrays have to start at multiples of their elements' size.
const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8;

/** Lays arrays side by side in larger buffers, so that many of them leave no gaps in memory. */
export function createArena(): Arena {
  let buffer = new ArrayBuffer(0);
  let used = 0;
  return (kind, length) => {
    const bytes = aligned(length * kind.BYTES_PER_ELEMENT);
    if (used + bytes > buffer.byteLength) {
      // Twice as large each time at first: most indexes are small.
      buffer = new ArrayBuffer(Math.max(bytes, Math.min(BUFFER_BYTES, 2 * buffer.byteLength)));
      used = 0;
    }
    const array = new kind(buffer, used, length);
    used += bytes;
    return array;
  };
}
