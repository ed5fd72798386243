/** Packs a rolled segment: the same bytes in independent Zstandard frames with a seek table. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { syncLater } from '../../../src/shared/system/files.ts';
import { NEWLINE } from '../files/line-splitter.ts';
import { openSource } from '../files/open-source.ts';
import { writeSeekTable } from '../files/seek-table.ts';
import { absent, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';

/**
 * A frame ends at the first line end from here on. A rare domain's page needs a frame for each of its
 * lines: 50 of this size are back in 1 ms, of 64 KiB in 2, and the file is only 11 % larger.
 */
const FRAME_BYTES = 1 << 15;
/** A frame ends here even in the middle of a line. */
const LONGEST_FRAME = 1 << 20;
/**
 * 1/13 of the size at 0.8 GB/s; higher levels gain little with lines that are so much alike. With a checksum
 * of each frame, because most damage would go unnoticed without.
 */
const PARAMS = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_checksumFlag]: 1,
};
const compress = promisify(zstdCompress);

/**
 * Replaces a plain segment by its packed form. At every moment one of the two is there whole, and
 * while both are there the plain one counts. Does nothing if the segment is no longer the file that
 * was listed, or was written to in the meantime.
 * @throws file system errors, and if what was written is not what is read back
 */
export async function packSegment(segment: Segment): Promise<void> {
  const found = await stat(segment.path).catch(absent);
  // Who has another link to the file may still write to it.
  if (found?.nlink !== 1) return;
  const source = await openSource(segment);
  if (!source) return;
  const packed = `${segment.path}.zst`;
  const unfinished = `${packed}.tmp`;
  try {
    await rm(unfinished, { force: true });
    // Never through a link that someone else has put there.
    const target = await open(unfinished, 'wx+', found.mode & 0o777);
    try {
      await target.chown(found.uid, found.gid).catch(() => undefined);
      await writeFrames(source, target);
      await target.utimes(found.atimeMs / 1000, found.mtimeMs / 1000);
      await target.sync();
    } finally {
      await target.close();
    }
    await compare(source, unfinished);
    if (!(await isUnchanged(segment))) return;
    await rename(unfinished, packed);
    await syncLater(dirname(packed));
    if (await isUnchanged(segment)) await rm(segment.path, { force: true });
  } finally {
    await source.close();
    await rm(unfinished, { force: true });
  }
}

async function writeFrames(source: Source, target: FileHandle): Promise<void> {
  const frames: [number, number][] = [];
  // Reused, so that a large file leaves no garbage of its own size.
  const buffer = Buffer.allocUnsafe(2 * LONGEST_FRAME);
  let filled = 0;

  /** Writes all frames that are complete, or all that is left. */
  async function writeOut(isLast: boolean): Promise<void> {
    let start = 0;
    const packed: Buffer[] = [];
    while (start < filled) {
      const rest = buffer.subarray(start, filled);
      const end = frameEnd(rest) || (isLast ? rest.length : 0);
      if (end === 0) break;
      const frame = await compress(rest.subarray(0, end), { params: PARAMS });
      packed.push(frame);
      frames.push([frame.length, end]);
      start += end;
    }
    await target.writeFile(Buffer.concat(packed));
    buffer.copyWithin(0, start, filled);
    filled -= start;
  }

  for await (const chunk of source.chunks(0)) {
    filled += chunk.copy(buffer, filled);
    await writeOut(false);
  }
  await writeOut(true);
  await target.writeFile(writeSeekTable(frames));
}

/** Where the first frame of the bytes ends; 0 if that is further on. */
function frameEnd(bytes: Buffer): number {
  const newline = bytes.length < FRAME_BYTES ? -1 : bytes.indexOf(NEWLINE, FRAME_BYTES - 1);
  const end = newline < 0 ? bytes.length : newline + 1;
  if (newline < 0 && end < LONGEST_FRAME) return 0;
  return Math.min(end, LONGEST_FRAME);
}

/** @throws if a file does not have all bytes of the source, and no more */
async function compare(source: Source, path: string): Promise<void> {
  const { dev, ino, birthtimeMs: born, size, mtimeMs } = await stat(path);
  const packed = await openSource({
    path,
    form: 'zstd',
    live: false,
    dev,
    ino,
    born,
    size,
    mtimeMs,
  });
  try {
    if (packed?.isSeekable && (await areEqual(source.chunks(0), packed.chunks(0)))) return;
  } finally {
    await packed?.close();
  }
  throw new Error(`${path} differs from what was packed`);
}

async function areEqual(
  one: AsyncGenerator<Buffer>,
  other: AsyncGenerator<Buffer>,
): Promise<boolean> {
  let [a, b]: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
  try {
    for (;;) {
      if (a?.length === 0) a = (await one.next()).value;
      if (b?.length === 0) b = (await other.next()).value;
      if (!a || !b) return a === b;
      const length = Math.min(a.length, b.length);
      if (!a.subarray(0, length).equals(b.subarray(0, length))) return false;
      [a, b] = [a.subarray(length), b.subarray(length)];
    }
  } finally {
    await one.return(undefined);
    await other.return(undefined);
  }
}

async function isUnchanged({ path, ino, size, mtimeMs }: Segment): Promise<boolean> {
  const now = await stat(path).catch(absent);
  return now?.ino === ino && now.size === size && now.mtimeMs === mtimeMs;
}
