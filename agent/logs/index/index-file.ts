/** The stored form of an index: a header, and the numbers as they are in memory. */
import type { PairList } from './pairs.ts';
import { type BlockTable, createBlockTable } from './sealed-blocks.ts';

/** What a finished segment's index consists of; `end` as in `SegmentIndex`. */
export type IndexData = {
  pairs: PairList;
  table: BlockTable;
  end: number;
  unterminated: boolean;
};

type Header = Omit<IndexData, 'table'> & {
  fingerprint: string;
  lengths: Record<string, number>;
};

/** With the version of the format: files of any other are ignored. */
const MAGIC = Buffer.from('sbxidx01');
// Magic, checksum of all that follows, size of the header.
const HEADER_AT = MAGIC.length + 8 + 4;
// Typed arrays have to start at multiples of their elements' size.
const aligned = (offset: number) => Math.ceil(offset / 8) * 8;

const checksumOf = (bytes: Buffer) => Bun.hash.xxHash3(bytes.subarray(MAGIC.length + 8));

/** @param fingerprint of the segment that the index belongs to */
export function writeIndexFile(data: IndexData, fingerprint: string): Buffer {
  const { table, ...rest } = data;
  const lists = Object.entries(table);
  const lengths = Object.fromEntries(lists.map(([name, { length }]) => [name, length]));
  const header = Buffer.from(JSON.stringify({ ...rest, fingerprint, lengths }));
  const arrays = lists.map(([, { values, length }]) => values.subarray(0, length));
  let size = HEADER_AT + header.length;
  for (const { byteLength } of arrays) size = aligned(size) + byteLength;
  const file = Buffer.alloc(size);
  MAGIC.copy(file);
  file.writeUInt32LE(header.length, HEADER_AT - 4);
  let at = HEADER_AT + header.copy(file, HEADER_AT);
  for (const { buffer, byteOffset, byteLength } of arrays) {
    at = aligned(at);
    at += Buffer.from(buffer, byteOffset, byteLength).copy(file, at);
  }
  file.writeBigUInt64LE(checksumOf(file), MAGIC.length);
  return file;
}

/** Undefined if the file is damaged, of another version or not of this segment. Keeps `bytes`. */
export function readIndexFile(bytes: ArrayBuffer, fingerprint: string): IndexData | undefined {
  const file = Buffer.from(bytes);
  if (file.length < HEADER_AT || !file.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (file.readBigUInt64LE(MAGIC.length) !== checksumOf(file)) return undefined;
  let at = HEADER_AT + file.readUInt32LE(HEADER_AT - 4);
  const header: Header = JSON.parse(file.toString('utf8', HEADER_AT, at));
  if (header.fingerprint !== fingerprint) return undefined;
  const table = createBlockTable((name, kind) => {
    at = aligned(at);
    const values = new kind(bytes, at, header.lengths[name] ?? 0);
    at += values.byteLength;
    return values;
  });
  const { pairs, end, unterminated } = header;
  return isSound(table, pairs) ? { pairs, table, end, unterminated } : undefined;
}

/** Whoever can write to the log's folder can write a checksum too: no loop may get out of hand. */
function isSound(table: BlockTable, { pairs }: PairList): boolean {
  const { starts, firstRows, firstLines, rowPairs, rowCounts, steps, places, ticks } = table;
  const isRising = ({ values }: { values: Uint32Array }, last: number) =>
    values.length === starts.length &&
    values.every((value, i) => value <= (values[i + 1] ?? last) && (i > 0 || value === 0));
  return (
    isRising(firstRows, rowPairs.length) &&
    isRising(firstLines, steps.length) &&
    places.length === steps.length &&
    ticks.length === steps.length &&
    rowPairs.length === rowCounts.length &&
    rowPairs.values.every((pair) => pair < pairs.length) &&
    rowCounts.values.reduce((sum, count) => sum + count, 0) === steps.length
  );
}
