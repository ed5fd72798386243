/** The bytes of a segment, whatever its form. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** The bytes in [start, end), fewer at the end of the segment. */
export type Range = { start: number; end: number };

/** The bytes of a segment, uncompressed. Offsets count uncompressed bytes. */
export type Source = {
  /** Whether `slice` is fast. */
  readonly isSeekable: boolean;
  /**
   * All bytes from an offset on, in order. A chunk's memory may be reused when the next chunk is
   * requested. A damaged compressed file ends where the damage starts.
   */
  chunks(from: number): AsyncGenerator<Buffer>;
  slice(start: number, end: number): Promise<Buffer>;
  /** Many of them at once, in the same order. */
  slices(ranges: readonly Range[]): Promise<Buffer[]>;
  /** Whether something that was read from it was damaged. */
  isDamaged(): boolean;
  /** The uncompressed size modulo 2^32 that a compressed file states; undefined if it does not. */
  statedSize(): Promise<number | undefined>;
  /** The current size of the file as stored. */
  size(): Promise<number>;
  /** Tells the file as stored from any other: made of its size, time, beginning and end. */
  fingerprint(): Promise<string>;
  close(): Promise<void>;
};

/** Includes gzip's checksum, and the sizes of the last hundred frames of a packed segment. */
const PROBE_BYTES = 1024;

type Reads = { file: Bun.BunFile; underWay: Set<Promise<ArrayBuffer>> };

const readsOf = new WeakMap<FileHandle, Reads>();

/**
 * The bytes of a file in [start, end), fewer at its end. By the descriptor's path: slices of the
 * descriptor itself share its position (Bun 1.4.5), so that those at the same time, or from the start,
 * would get other bytes.
 */
export async function bytesOf(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  if (handle.fd < 0) throw new Error('the file is closed');
  const reads = readsOf.get(handle) ?? {
    file: Bun.file(`/proc/self/fd/${handle.fd}`),
    underWay: new Set(),
  };
  readsOf.set(handle, reads);
  const read = reads.file.slice(start, end).arrayBuffer();
  reads.underWay.add(read);
  try {
    return Buffer.from(await read);
  } finally {
    reads.underWay.delete(read);
  }
}

/** Another file may get the descriptor's number: nothing may be read by it then. */
async function close(handle: FileHandle): Promise<void> {
  await Promise.allSettled(readsOf.get(handle)?.underWay ?? []);
  await handle.close();
}

/** What all forms of a segment have in common. */
export const ofFile = (handle: FileHandle) => ({
  size: async () => (await handle.stat()).size,
  async fingerprint() {
    const { size, mtimeMs } = await handle.stat();
    const hash = createHash('sha256').update(`${size} ${mtimeMs}`);
    hash.update(await bytesOf(handle, 0, Math.min(size, PROBE_BYTES)));
    hash.update(await bytesOf(handle, Math.max(0, size - PROBE_BYTES), size));
    return hash.digest('hex');
  },
  close: () => close(handle),
});
