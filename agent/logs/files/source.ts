import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { absent, type Form, type Segment } from './segments.ts';

/**
 * How much is read at once: enough to keep the disk busy, and little enough for what is done
 * with a chunk in one go to take about a millisecond.
 */
const CHUNK_BYTES = 1 << 18;
const COMPRESSED_CHUNK_BYTES = 1 << 18;

/** The bytes of a segment, uncompressed. Offsets count uncompressed bytes. */
export type Source = {
  /**
   * All bytes from an offset on, in order. A chunk's memory is used again once the next chunk
   * has been asked for. A damaged compressed file ends where the damage begins.
   */
  chunks(from: number): AsyncGenerator<Buffer>;
  /** The bytes in [start, end), fewer where the segment ends; by reading through to them. */
  slice(start: number, end: number): Promise<Buffer>;
  /** Of a gzip file the size modulo 2^32 that it says it had; undefined for other forms. */
  compressedFrom(): Promise<number | undefined>;
  /** The size of the file at this moment, as it is stored. */
  size(): Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens a segment and makes sure that it is still the file that was listed; undefined where it
 * has gone or another one has taken its name. An open source outlives renaming and removal.
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
        const { bytesRead } = await handle.read(
          buffer,
          filled,
          buffer.length - filled,
          start + filled,
        );
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    compressedFrom: async () => undefined,
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

// Two buffers take turns: one is being filled while the other one is looked at.
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
    // The handle must not be closed under a read.
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
    async compressedFrom() {
      // Its last four bytes; zstd has no such place.
      if (form !== 'gzip' || size < 4) return undefined;
      const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, size - 4);
      return buffer.readUInt32LE();
    },
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

// Decompression runs in the engine's thread pool.
async function* decompress(handle: FileHandle, form: Form): AsyncGenerator<Buffer> {
  const options = { chunkSize: COMPRESSED_CHUNK_BYTES };
  const inflate = form === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  const bytes = Readable.from(pieces(handle));
  bytes.on('error', (fault) => inflate.destroy(fault));
  try {
    yield* bytes.pipe(inflate) as AsyncIterable<Buffer>;
  } catch (fault) {
    if (!isDamage(fault)) throw fault;
  } finally {
    bytes.destroy();
    inflate.destroy();
  }
}

async function* pieces(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const piece = Buffer.allocUnsafe(COMPRESSED_CHUNK_BYTES);
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

// zlib's and zstd's own complaints carry a code of theirs; everything else is a fault of ours.
function isDamage(fault: unknown): boolean {
  const code = (fault as { code?: unknown }).code;
  return typeof code === 'string' && /^(Z_|ZSTD_)/.test(code);
}
