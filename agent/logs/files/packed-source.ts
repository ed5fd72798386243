/** Reads a segment with a seek table. */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { frameAt, type SeekTable } from './seek-table.ts';
import { bytesOf, ofFile, type Range, type Source } from './source.ts';

const unpack = promisify(zstdDecompress);

/** Frames that are so near to each other as stored are read together. */
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

  const storedAt = (i: number): number => stored[i] as number;
  const sizeOf = (i: number): number => (offsets[i + 1] as number) - (offsets[i] as number);

  /** @param wanted in the order of the file */
  async function read(wanted: readonly number[]): Promise<Map<number, Frame>> {
    const found = new Map<number, Frame>();
    // In groups: a call to the thread pool takes as long as to decompress a frame.
    const groups: Promise<void>[] = [];
    let group: number[] = [];
    let size = 0;
    for (const [at, i] of wanted.entries()) {
      group.push(i);
      size += sizeOf(i);
      const gap = storedAt(wanted[at + 1] ?? frames) - storedAt(i + 1);
      if (size < GROUP_BYTES && gap <= NEAR_BYTES && at + 1 < wanted.length) continue;
      groups.push(readGroup(group, found));
      [group, size] = [[], 0];
    }
    await Promise.all(groups);
    return found;
  }

  async function readGroup(group: readonly number[], found: Map<number, Frame>): Promise<void> {
    const start = storedAt(group[0] as number);
    const bytes = await bytesOf(handle, start, storedAt((group.at(-1) as number) + 1));
    const packed = group.map((i) => bytes.subarray(storedAt(i) - start, storedAt(i + 1) - start));
    const unpacked = await unpackedAll(packed, group.map(sizeOf));
    damaged ||= unpacked.includes(undefined);
    for (const [at, i] of group.entries()) found.set(i, unpacked[at]);
  }

  async function* chunks(from: number): AsyncGenerator<Buffer> {
    let next = frameAt(table, from);
    const ahead = () => {
      const first = next;
      for (let size = 0; next < frames && size < GROUP_BYTES; next++) size += sizeOf(next);
      return read(numbers(first, next));
    };
    let at = next;
    let pending = ahead();
    try {
      while (at < frames) {
        const group = await pending;
        pending = ahead();
        for (const end = at + group.size; at < end; at++) {
          const bytes = group.get(at);
          if (!bytes) return;
          yield bytes.subarray(Math.max(0, from - (offsets[at] as number)));
        }
      }
    } finally {
      await pending.catch(() => undefined);
    }
  }

  async function slices(ranges: readonly Range[]): Promise<Buffer[]> {
    const framesOf = ranges.map(({ start, end }) => {
      const last = frameAt(table, Math.max(start, end - 1)) + 1;
      return numbers(frameAt(table, start), Math.min(frames, last));
    });
    const found = await read([...new Set(framesOf.flat())].sort((a, b) => a - b));
    return ranges.map(({ start, end }, at) => {
      const pieces: Buffer[] = [];
      for (const i of framesOf[at] as number[]) {
        const bytes = found.get(i);
        if (!bytes) break;
        const base = offsets[i] as number;
        pieces.push(bytes.subarray(Math.max(0, start - base), end - base));
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    });
  }

  return {
    isSeekable: true,
    chunks,
    slices,
    slice: async (start, end) => (await slices([{ start, end }]))[0] as Buffer,
    isDamaged: () => damaged,
    statedSize: async () => (offsets[frames] as number) % 2 ** 32,
    ...ofFile(handle),
  };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

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
