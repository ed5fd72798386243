/** Reads a segment with a seek table. */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { frameAt, type SeekTable } from './seek-table.ts';
import { bytesOf, ofFile, type Source } from './source.ts';

const unpack = promisify(zstdDecompress);

/** Frames that are asked for together, and are so near to each other as stored, are read together. */
const NEAR_BYTES = 1 << 16;
/** Uncompressed; more is read and decompressed at the same time. */
const GROUP_BYTES = 1 << 18;

/** Undefined if it is damaged. */
type Frame = Buffer | undefined;

/** Decompresses any frames, in the engine's thread pool. */
export function packed(handle: FileHandle, table: SeekTable): Source {
  const { stored, offsets } = table;
  const frames = offsets.length - 1;

  let damaged = false;

  // Lines that are read at the same time are often in the same frame.
  const running = new Map<number, PromiseWithResolvers<Frame>>();
  let asked: number[] = [];

  function frame(i: number): Promise<Frame> {
    const pending = running.get(i) ?? Promise.withResolvers<Frame>();
    if (running.get(i) !== pending) {
      running.set(i, pending);
      // In one go: a call to the thread pool takes as long as to decompress a frame.
      if (asked.push(i) === 1) queueMicrotask(readAsked);
    }
    return pending.promise;
  }

  const storedAt = (i: number): number => stored[i] as number;
  const sizeOf = (i: number): number => (offsets[i + 1] as number) - (offsets[i] as number);

  function readAsked(): void {
    const sorted = asked.sort((a, b) => a - b);
    asked = [];
    let group: number[] = [];
    let size = 0;
    for (const [at, i] of sorted.entries()) {
      group.push(i);
      size += sizeOf(i);
      const gap = storedAt(sorted[at + 1] ?? frames) - storedAt(i + 1);
      if (size < GROUP_BYTES && gap <= NEAR_BYTES && at + 1 < sorted.length) continue;
      void readGroup(group);
      [group, size] = [[], 0];
    }
  }

  /** Never rejects. @param group in the order of the file */
  async function readGroup(group: readonly number[]): Promise<void> {
    try {
      const start = storedAt(group[0] as number);
      const bytes = await bytesOf(handle, start, storedAt((group.at(-1) as number) + 1));
      const packed = group.map((i) => bytes.subarray(storedAt(i) - start, storedAt(i + 1) - start));
      const found = await unpackedAll(packed, group.map(sizeOf));
      damaged ||= found.includes(undefined);
      for (const [at, i] of group.entries()) running.get(i)?.resolve(found[at]);
    } catch (error) {
      for (const i of group) running.get(i)?.reject(error);
    }
    for (const i of group) running.delete(i);
  }

  async function* chunks(from: number): AsyncGenerator<Buffer> {
    let next = frameAt(table, from);
    function ahead(): Promise<Frame>[] {
      const group: Promise<Frame>[] = [];
      for (let size = 0; next < frames && size < GROUP_BYTES; next++) {
        group.push(frame(next));
        size += sizeOf(next);
      }
      return group;
    }
    let at = next;
    let pending = ahead();
    try {
      while (pending.length > 0) {
        const group = await Promise.all(pending);
        pending = ahead();
        for (const bytes of group) {
          if (!bytes) return;
          yield bytes.subarray(Math.max(0, from - (offsets[at++] as number)));
        }
      }
    } finally {
      // The handle must not be closed during a read.
      await Promise.allSettled(pending);
    }
  }

  return {
    isSeekable: true,
    chunks,
    async slice(start, end) {
      const first = frameAt(table, start);
      const last = Math.min(frames, frameAt(table, Math.max(start, end - 1)) + 1);
      const wanted = Array.from({ length: last - first }, (_, i) => frame(first + i));
      // Wait for all of them: none may still be reading when the source is closed.
      await Promise.allSettled(wanted);
      const pieces: Buffer[] = [];
      for (const [at, bytes] of (await Promise.all(wanted)).entries()) {
        if (!bytes) break;
        const base = offsets[first + at] as number;
        pieces.push(bytes.subarray(Math.max(0, start - base), end - base));
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    },
    isDamaged: () => damaged,
    statedSize: async () => (offsets[frames] as number) % 2 ** 32,
    ...ofFile(handle),
  };
}

async function unpackedAll(frames: readonly Buffer[], sizes: readonly number[]): Promise<Frame[]> {
  if (frames.every((bytes, i) => statedSize(bytes) === sizes[i])) {
    // In half the time, but as long as the bytes ask for.
    const all = await Bun.zstdDecompress(Buffer.concat(frames)).catch(() => undefined);
    let end = 0;
    const found = sizes.map((size) => {
      end += size;
      return all?.subarray(end - size, end);
    });
    if (all?.length === end) return found;
  }
  // A damaged frame must not take others with it.
  return Promise.all(frames.map((bytes, i) => unpacked(bytes, sizes[i] as number)));
}

/** No more than the table says: a few bytes may stand for gigabytes. */
const unpacked = (bytes: Buffer, size: number): Promise<Frame> =>
  unpack(bytes, { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size) }).then(
    (found) => (found.length === size ? found : undefined),
    () => undefined,
  );

const FRAME_MAGIC = 0xfd2fb528;

/**
 * The uncompressed size that a frame states in its header (RFC 8878, 3.1.1); undefined if it states
 * none, or if the bytes are not one whole frame and nothing else.
 */
function statedSize(bytes: Buffer): number | undefined {
  if (bytes.length < 9 || bytes.readUInt32LE(0) !== FRAME_MAGIC) return undefined;
  const descriptor = bytes.readUInt8(4);
  const [flag, isSingle] = [descriptor >> 6, (descriptor & 0x20) !== 0];
  const width = flag === 0 && !isSingle ? 0 : 1 << flag;
  // Sizes of 8 bytes are never right here; a dictionary is not known.
  if (width === 0 || width === 8 || (descriptor & 3) !== 0) return undefined;
  let at = isSingle ? 5 : 6;
  const size = bytes.readUIntLE(at, width) + (width === 2 ? 256 : 0);
  at += width;
  for (let isLast = false; !isLast; ) {
    if (at + 3 > bytes.length) return undefined;
    const block = bytes.readUIntLE(at, 3);
    isLast = (block & 1) === 1;
    // A block of type 1 is one byte that repeats.
    at += 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : 4) === bytes.length ? size : undefined;
}
