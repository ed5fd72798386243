/** Packs a rolled segment: the same bytes in independent Zstandard frames with a seek table. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NEWLINE } from '../files/line-splitter.ts';
import { openSource } from '../files/open-source.ts';
import { writeSeekTable } from '../files/seek-table.ts';
import { absent, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';

/** A frame ends at the first line end from here on; one frame is back in about 0.2 ms. */
const FRAME_BYTES = 1 << 18;
/** A frame ends here even in the middle of a line. */
const LONGEST_FRAME = 1 << 20;
/** 1/15 of the size at 1 GB/s; higher levels gain little with lines that are so much alike. */
const LEVEL = 1;

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
    await syncFolder(dirname(packed));
    if (await isUnchanged(segment)) await rm(segment.path, { force: true });
  } finally {
    await source.close();
    await rm(unfinished, { force: true });
  }
}

async function writeFrames(source: Source, target: FileHandle): Promise<void> {
  const frames: [number, number][] = [];
  let rest: Buffer = Buffer.alloc(0);

  async function writeFrame(bytes: Buffer): Promise<void> {
    const frame = await Bun.zstdCompress(bytes, { level: LEVEL });
    await target.writeFile(frame);
    frames.push([frame.length, bytes.length]);
  }

  for await (const chunk of source.chunks(0)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = frameEnd(rest); end > 0; end = frameEnd(rest)) {
      await writeFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) await writeFrame(rest);
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
    ...{ path, form: 'zstd', live: false, dev, ino, born, size, mtimeMs },
  });
  try {
    let position = 0;
    if (packed?.isSeekable) {
      for await (const chunk of packed.chunks(0)) {
        const expected = await source.slice(position, position + chunk.length);
        if (!chunk.equals(expected)) break;
        position += chunk.length;
      }
    }
    if (position === (await source.size())) return;
  } finally {
    await packed?.close();
  }
  throw new Error(`${path} differs from what was packed`);
}

async function isUnchanged({ path, ino, size, mtimeMs }: Segment): Promise<boolean> {
  const now = await stat(path).catch(absent);
  return now?.ino === ino && now.size === size && now.mtimeMs === mtimeMs;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
