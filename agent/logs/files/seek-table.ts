/** The table of frames at the end of a packed segment: what writes, reads and searches it. */

/**
 * The layout is that of the Zstandard Seekable Format (facebook/zstd, contrib/seekable_format): a skippable frame
 * that names the sizes of all frames before it, so that each of them can be decompressed by itself. Here: where
 * they start, as stored and uncompressed; the last offset is the end.
 */
export type SeekTable = { stored: Float64Array; offsets: Float64Array };

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 8;
/** Number of frames, descriptor, magic number: the last bytes of the file. */
const FOOTER_BYTES = 9;
/** Read at once: the table of 128 MiB, as Caddy and this program write them. */
const USUAL_TABLE = 1 << 15;
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
  const end = await read(Math.max(0, fileSize - USUAL_TABLE), fileSize);
  const footer = end.subarray(-FOOTER_BYTES);
  if (footer.length < FOOTER_BYTES || footer.readUInt32LE(5) !== SEEKABLE_MAGIC) return undefined;
  const [count, descriptor] = [footer.readUInt32LE(0), footer.readUInt8(4)];
  const entryBytes = ENTRY_BYTES + (descriptor & HAS_CHECKSUMS ? 4 : 0);
  const start = fileSize - FOOTER_BYTES - count * entryBytes;
  if (start < HEADER_BYTES || (descriptor & RESERVED) !== 0) return undefined;
  const size = fileSize - start + HEADER_BYTES;
  const table = size > end.length ? await read(fileSize - size, fileSize) : end.subarray(-size);
  if (table.length < size || table.readUInt32LE(0) !== SKIPPABLE_MAGIC) return undefined;
  const found = sumsOf(table.subarray(HEADER_BYTES), count, entryBytes);
  return found?.stored[count] === start - HEADER_BYTES ? found : undefined;
}

function sumsOf(entries: Buffer, count: number, entryBytes: number): SeekTable | undefined {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
  const [stored, offsets] = [new Float64Array(count + 1), new Float64Array(count + 1)];
  for (let i = 0; i < count; i++) {
    const held = view.getUint32(i * entryBytes, true);
    const size = view.getUint32(i * entryBytes + 4, true);
    if (size > LARGEST_FRAME || held > LARGEST_STORED) return undefined;
    stored[i + 1] = (stored[i] as number) + held;
    offsets[i + 1] = (offsets[i] as number) + size;
  }
  return { stored, offsets };
}

/** The frame that holds an uncompressed offset; the number of frames if it is beyond the last one. */
export function frameAt({ offsets }: SeekTable, offset: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle + 1] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
