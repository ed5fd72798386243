/** Reads a segment with a seek table. */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { bytesOf, ofFile, type Source } from './source.ts';

const unpack = promisify(zstdDecompress);

/** Decompresses any frame by itself, in the engine's thread pool. */
export function packed(handle: FileHandle, table: SeekTable): Source {
  const { stored, offsets } = table;
  const frames = offsets.length - 1;

  let damaged = false;

  // Lines that are read at the same time are often in the same frame.
  const running = new Map<number, Promise<Buffer | undefined>>();

  /** Undefined if the frame is damaged. */
  function frame(i: number): Promise<Buffer | undefined> {
    const pending = running.get(i) ?? decompress(i).finally(() => running.delete(i));
    running.set(i, pending);
    return pending;
  }

  async function decompress(i: number): Promise<Buffer | undefined> {
    const bytes = await bytesOf(handle, stored[i] as number, stored[i + 1] as number);
    const size = (offsets[i + 1] as number) - (offsets[i] as number);
    const found = await unpacked(bytes, size).catch(() => undefined);
    if (found?.length === size) return found;
    damaged = true;
    return undefined;
  }

  async function* chunks(from: number): AsyncGenerator<Buffer> {
    const first = frameAt(table, from);
    let pending = first < frames ? frame(first) : undefined;
    try {
      for (let i = first; i < frames; i++) {
        const bytes = await pending;
        if (!bytes) return;
        pending = i + 1 < frames ? frame(i + 1) : undefined;
        yield bytes.subarray(Math.max(0, from - (offsets[i] as number)));
      }
    } finally {
      // The handle must not be closed during a read.
      await pending?.catch(() => undefined);
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
      const whole: Buffer[] = [];
      for (const bytes of await Promise.all(wanted)) {
        if (!bytes) break;
        whole.push(bytes);
      }
      const base = offsets[first] ?? start;
      return (whole.length === 1 ? (whole[0] as Buffer) : Buffer.concat(whole)).subarray(
        start - base,
        end - base,
      );
    },
    isDamaged: () => damaged,
    statedSize: async () => (offsets[frames] as number) % 2 ** 32,
    ...ofFile(handle),
  };
}

/** No more than the table says: a few bytes may stand for gigabytes. */
const unpacked = (bytes: Buffer, size: number): Promise<Buffer> =>
  // In half the time, but as long as the bytes ask for.
  statedSize(bytes) === size
    ? Bun.zstdDecompress(bytes)
    : unpack(bytes, { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size) });

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

/**
 * The seek table at the end of a packed segment. The layout is that of the Zstandard Seekable Format
 * (facebook/zstd, contrib/seekable_format): a skippable frame that names the sizes of all frames before
 * it, so that each of them can be decompressed by itself. Here: where they start, as stored and uncompressed; the last offset is the end.
 */
type SeekTable = { stored: readonly number[]; offsets: readonly number[] };

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 8;
/** Number of frames, descriptor, magic number: the last bytes of the file. */
const FOOTER_BYTES = 9;
const HAS_CHECKSUMS = 0x80;
const RESERVED = 0x7c;
/** Frames of other programs may be of any size; larger ones are read as a stream. */
const LARGEST_FRAME = 4 << 20;
/** What cannot be compressed gets longer by less than this (ZSTD_compressBound). */
const LARGEST_STORED = LARGEST_FRAME + (LARGEST_FRAME >> 7);

/** @param frames the sizes of each frame, stored and uncompressed */
export function writeSeekTable(frames: readonly (readonly [number, number])[]): Buffer {
  const size = frames.length * ENTRY_BYTES + FOOTER_BYTES;
  const table = Buffer.alloc(HEADER_BYTES + size);
  let at = table.writeUInt32LE(SKIPPABLE_MAGIC);
  at = table.writeUInt32LE(size, at);
  for (const [stored, uncompressed] of frames) {
    at = table.writeUInt32LE(stored, at);
    at = table.writeUInt32LE(uncompressed, at);
  }
  at = table.writeUInt32LE(frames.length, at);
  table.writeUInt32LE(SEEKABLE_MAGIC, at + 1);
  return table;
}

/**
 * Reads the table of a file; undefined if it has none, or if a frame is too large to be read whole.
 * @param read the bytes of the file in [start, end)
 */
export async function readSeekTable(
  read: (start: number, end: number) => Promise<Buffer>,
  fileSize: number,
): Promise<SeekTable | undefined> {
  if (fileSize < HEADER_BYTES + FOOTER_BYTES) return undefined;
  const footer = await read(fileSize - FOOTER_BYTES, fileSize);
  if (footer.length < FOOTER_BYTES || footer.readUInt32LE(5) !== SEEKABLE_MAGIC) return undefined;
  const [count, descriptor] = [footer.readUInt32LE(0), footer.readUInt8(4)];
  const entryBytes = ENTRY_BYTES + (descriptor & HAS_CHECKSUMS ? 4 : 0);
  const start = fileSize - FOOTER_BYTES - count * entryBytes;
  if (start < HEADER_BYTES || (descriptor & RESERVED) !== 0) return undefined;
  const table = await read(start - HEADER_BYTES, fileSize);
  if (table.length < fileSize - start || table.readUInt32LE(0) !== SKIPPABLE_MAGIC) {
    return undefined;
  }
  const [stored, offsets] = [[0], [0]];
  for (let i = 0, at = HEADER_BYTES; i < count; i++, at += entryBytes) {
    const [held, size] = [table.readUInt32LE(at), table.readUInt32LE(at + 4)];
    if (size > LARGEST_FRAME || held > LARGEST_STORED) return undefined;
    stored.push((stored[i] as number) + held);
    offsets.push((offsets[i] as number) + size);
  }
  return stored[count] === start - HEADER_BYTES ? { stored, offsets } : undefined;
}

/** The frame that holds an uncompressed offset; the number of frames if it is beyond the last one. */
function frameAt({ offsets }: SeekTable, offset: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle + 1] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
