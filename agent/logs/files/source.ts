/** Reads the bytes of a segment, decompressing them if necessary. */
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { absent, type Form, type Segment } from './segments.ts';

/** Enough to keep the disk busy, and little enough to process in about a millisecond. */
const CHUNK_BYTES = 1 << 18;

/** The bytes of a segment, uncompressed. Offsets count uncompressed bytes. */
export type Source = {
  /**
   * All bytes from an offset on, in order. A chunk's memory is reused when the next chunk is
   * requested. A damaged compressed file ends where the damage starts.
   */
  chunks(from: number): AsyncGenerator<Buffer>;
  /** The bytes in [start, end), fewer at the end of the segment. Slow if compressed. */
  slice(start: number, end: number): Promise<Buffer>;
  /** The uncompressed size modulo 2^32 that a gzip file states; undefined for other forms. */
  statedSize(): Promise<number | undefined>;
  /** The current size of the file as stored. */
  size(): Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens a segment if it is still the file that was listed; undefined if that is gone or another
 * file has its name. An open source survives renaming and deletion.
 */
export async function openSource(segment: Segment): Promise<Source | undefined> {
  const handle = await open(segment.path, 'r').catch(absent);
  if (!handle) return undefined;
  const { dev, ino, birthtimeMs } = await handle.stat();
  if (dev !== segment.dev || ino !== segment.ino || birthtimeMs !== segment.born) {
    await handle.close();
    return undefined;
  }
  return segment.form === 'plain' ? plain(handle) : compressed(handle, segment);
}

function plain(handle: FileHandle): Source {
  return {
    chunks: (from) => readAhead(handle, from),
    async slice(start, end) {
      const buffer = Buffer.allocUnsafe(end - start);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, {
          offset: filled,
          position: start + filled,
        });
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    statedSize: async () => undefined,
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** Two buffers take turns: one is filled while the other is processed. */
async function* readAhead(handle: FileHandle, from: number): AsyncGenerator<Buffer> {
  let spare = Buffer.allocUnsafe(CHUNK_BYTES);
  let filling = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = from;
  let pending = handle.read(filling, 0, CHUNK_BYTES, position);
  try {
    for (;;) {
      const { bytesRead } = await pending;
      if (bytesRead === 0) return;
      position += bytesRead;
      const chunk = filling.subarray(0, bytesRead);
      [spare, filling] = [filling, spare];
      pending = handle.read(filling, 0, CHUNK_BYTES, position);
      yield chunk;
    }
  } finally {
    // The handle must not be closed during a read.
    await pending.catch(() => undefined);
  }
}

function compressed(handle: FileHandle, { form, size }: Segment): Source {
  async function* chunks(from: number): AsyncGenerator<Buffer> {
    let skip = from;
    for await (const chunk of decompress(handle, form)) {
      if (skip < chunk.length) yield skip > 0 ? chunk.subarray(skip) : chunk;
      skip = Math.max(0, skip - chunk.length);
    }
  }

  return {
    chunks,
    async slice(start, end) {
      const pieces: Buffer[] = [];
      let missing = end - start;
      if (missing === 0) return Buffer.alloc(0);
      for await (const chunk of chunks(start)) {
        pieces.push(chunk.subarray(0, missing));
        missing -= chunk.length;
        if (missing <= 0) break;
      }
      return Buffer.concat(pieces);
    },
    async statedSize() {
      // Its last four bytes; zstd states no size at a fixed position.
      if (form !== 'gzip' || size < 4) return undefined;
      const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, size - 4);
      return buffer.readUInt32LE();
    },
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** Decompression runs in the engine's thread pool. */
async function* decompress(handle: FileHandle, form: Form): AsyncGenerator<Buffer> {
  const options = { chunkSize: CHUNK_BYTES };
  const inflate = form === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  const bytes = Readable.from(pieces(handle));
  bytes.on('error', (error) => inflate.destroy(error));
  try {
    yield* bytes.pipe(inflate) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!isDamage(error)) throw error;
  } finally {
    bytes.destroy();
    inflate.destroy();
  }
}

async function* pieces(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const piece = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Errors of zlib and zstd have their own codes; anything else is an error of ours. */
function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(Z_|ZSTD_)/.test(code);
}
