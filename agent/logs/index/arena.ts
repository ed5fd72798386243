/** Arrays that lie side by side in larger buffers, so that many of them leave no gaps in memory. */
import type { Kind, Numbers } from './growable.ts';

/** A new array, filled with zeros. */
export type Arena = <T extends Numbers>(kind: Kind<T>, length: number) => T;

const BUFFER_BYTES = 1 << 18;
// Typed arrays have to start at multiples of their elements' size.
const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8;

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
