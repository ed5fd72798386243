/** The stored form of an index: a header, and the numbers as they are in memory. */
import type { PairList } from '../line/pairs.ts';
import type { Kind, Numbers } from './growable.ts';
import type { SealedBlock } from './sealed-blocks.ts';

/** What a finished segment's index consists of; `end` as in `SegmentIndex`. */
export type IndexData = {
  pairs: PairList;
  blocks: SealedBlock[];
  end: number;
  unterminated: boolean;
};

type Header = Omit<IndexData, 'blocks'> & {
  fingerprint: string;
  /** Number of values of each column. */
  lengths: Record<string, number>;
};

/** With the version of the format: files of any other are ignored. */
const MAGIC = Buffer.from('sbxidx04');
// Magic, checksum of all that follows, size of the header.
const HEADER_AT = MAGIC.length + 8 + 4;
// Typed arrays have to start at multiples of their elements' size.
const aligned = (offset: number) => Math.ceil(offset / 8) * 8;

const checksumOf = (bytes: Buffer) => Bun.hash.xxHash3(bytes.subarray(MAGIC.length + 8));

/** @param fingerprint of the segment that the index belongs to */
export function writeIndexFile(data: IndexData, fingerprint: string): Buffer {
  const { blocks, ...rest } = data;
  const columns = Object.entries(columnsOf(blocks));
  const lengths = Object.fromEntries(
    columns.map(([name, arrays]) => [name, sum(arrays, 'length')]),
  );
  const header = Buffer.from(JSON.stringify({ ...rest, fingerprint, lengths }));
  let size = HEADER_AT + header.length;
  for (const [, arrays] of columns) size = aligned(size) + sum(arrays, 'byteLength');
  const file = Buffer.alloc(size);
  MAGIC.copy(file);
  file.writeUInt32LE(header.length, HEADER_AT - 4);
  let at = HEADER_AT + header.copy(file, HEADER_AT);
  for (const [, arrays] of columns) {
    at = aligned(at);
    for (const { buffer, byteOffset, byteLength } of arrays) {
      at += Buffer.from(buffer, byteOffset, byteLength).copy(file, at);
    }
  }
  file.writeBigUInt64LE(checksumOf(file), MAGIC.length);
  return file;
}

const sum = (arrays: readonly Numbers[], what: 'length' | 'byteLength'): number =>
  arrays.reduce((total, array) => total + array[what], 0);

/** The same values of all blocks, one after the other; in the order of the file. */
function columnsOf(blocks: readonly SealedBlock[]): Record<string, Numbers[]> {
  return {
    starts: [Float64Array.from(blocks, ({ start }) => start)],
    ends: [Float64Array.from(blocks, ({ end }) => end)],
    earliest: [Float64Array.from(blocks, ({ earliest }) => earliest)],
    latest: [Float64Array.from(blocks, ({ latest }) => latest)],
    timeless: [Uint32Array.from(blocks, ({ timeless }) => timeless)],
    rows: [Uint32Array.from(blocks, ({ pairs }) => pairs.length)],
    lines: [Uint32Array.from(blocks, ({ steps }) => steps.length)],
    pairs: blocks.map(({ pairs }) => pairs),
    counts: blocks.map(({ counts }) => counts),
    steps: blocks.map(({ steps }) => steps),
    places: blocks.map(({ places }) => places),
    ticks: blocks.map(({ ticks }) => ticks),
    words: [Uint32Array.from(blocks, ({ addresses }) => addresses.length)],
    addresses: blocks.map(({ addresses }) => addresses),
  };
}

/** Undefined if the file is damaged, of another version or not of this segment. Keeps `bytes`. */
export function readIndexFile(bytes: ArrayBuffer, fingerprint: string): IndexData | undefined {
  const file = Buffer.from(bytes);
  if (file.length < HEADER_AT || !file.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (file.readBigUInt64LE(MAGIC.length) !== checksumOf(file)) return undefined;
  let at = HEADER_AT + file.readUInt32LE(HEADER_AT - 4);
  const header: Header = JSON.parse(file.toString('utf8', HEADER_AT, at));
  if (header.fingerprint !== fingerprint) return undefined;
  const { pairs, end, unterminated, lengths } = header;
  const column = <T extends Numbers>(name: string, kind: Kind<T>): T => {
    at = aligned(at);
    const values = new kind(bytes, at, lengths[name] ?? 0);
    at += values.byteLength;
    return values;
  };
  const blocks = readBlocks(column);
  return blocks.every((block) => isSound(block, pairs))
    ? { pairs, blocks, end, unterminated }
    : undefined;
}

function readBlocks(column: <T extends Numbers>(name: string, kind: Kind<T>) => T): SealedBlock[] {
  // Evaluated in the order of the file.
  const columns = {
    starts: column('starts', Float64Array),
    ends: column('ends', Float64Array),
    earliest: column('earliest', Float64Array),
    latest: column('latest', Float64Array),
    timeless: column('timeless', Uint32Array),
    rows: column('rows', Uint32Array),
    lines: column('lines', Uint32Array),
    pairs: column('pairs', Uint32Array),
    counts: column('counts', Uint16Array),
    steps: column('steps', Uint8Array),
    places: column('places', Uint16Array),
    ticks: column('ticks', Uint16Array),
    words: column('words', Uint32Array),
    addresses: column('addresses', Uint32Array),
  };
  let [row, line, word] = [0, 0, 0];
  return Array.from(columns.starts, (start, block) => {
    const [firstRow, firstLine, firstWord] = [row, line, word];
    row += columns.rows[block] ?? 0;
    line += columns.lines[block] ?? 0;
    word += columns.words[block] ?? 0;
    return {
      start,
      end: columns.ends[block] ?? 0,
      earliest: columns.earliest[block] ?? 0,
      latest: columns.latest[block] ?? 0,
      timeless: columns.timeless[block] ?? 0,
      pairs: columns.pairs.subarray(firstRow, row),
      counts: columns.counts.subarray(firstRow, row),
      steps: columns.steps.subarray(firstLine, line),
      places: columns.places.subarray(firstLine, line),
      ticks: columns.ticks.subarray(firstLine, line),
      addresses: columns.addresses.subarray(firstWord, word),
    };
  });
}

/** Whoever can write to the log's folder can write a checksum too: no loop may get out of hand. */
function isSound(block: SealedBlock, { pairs: known }: PairList): boolean {
  const { pairs, counts, steps, places, ticks } = block;
  let lines = 0;
  for (let row = 0; row < pairs.length; row++) {
    if ((pairs[row] as number) >= known.length) return false;
    lines += counts[row] ?? 0;
  }
  return (
    counts.length === pairs.length &&
    lines === steps.length &&
    places.length === lines &&
    ticks.length === lines
  );
}
