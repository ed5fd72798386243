/** Opens segments of every form. */
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { createCache } from '../../../src/shared/memoize.ts';
import { packed } from './packed-source.ts';
import { readSeekTable, type SeekTable } from './seek-table.ts';
import { absent, type Form, type Segment } from './segments.ts';
import { bytesOf, ofFile, type Source } from './source.ts';

/** Little enough to process in about a millisecond. */
const CHUNK_BYTES = 1 << 18;

/**
 * Opens a segment if it is still the file that was listed; undefined if that is gone or another
 * file has its name. An open source survives renaming and deletion.
 */
export async function openSource(segment: Segment): Promise<Source | undefined> {
  const handle = await open(segment.path, 'r').catch(absent);
  if (!handle) return undefined;
  try {
    const { dev, ino, birthtimeMs, ctimeMs } = fstatSync(handle.fd);
    if (dev === segment.dev && ino === segment.ino && birthtimeMs === segment.born) {
      return await sourceOf(handle, segment, ctimeMs);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** What `use` makes of a segment's source, which is closed then; undefined as `openSource`. @throws as `use` */
export async function withSource<T>(
  segment: Segment,
  use: (source: Source) => Promise<T>,
): Promise<T | undefined> {
  const source = await openSource(segment);
  if (!source) return undefined;
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Those that were read last, in bytes: 64 kB for 128 MiB of lines. */
const tables = createCache<SeekTable>(1 << 20, ({ stored }) => 2 * stored.byteLength);

/** @param changed when the file was, in any way */
async function sourceOf(handle: FileHandle, segment: Segment, changed: number): Promise<Source> {
  const { form, size } = segment;
  if (form === 'plain') return plain(handle);
  if (form === 'gzip') return compressed(handle, form, size);
  const key = JSON.stringify([segment, changed]);
  const table =
    tables.get(key) ?? (await readSeekTable((start, end) => bytesOf(handle, start, end), size));
  if (!table) return compressed(handle, form, size);
  tables.put(key, table);
  return packed(handle, table);
}

function plain(handle: FileHandle): Source {
  return {
    isSeekable: true,
    chunks: (from) => readAhead(handle, from),
    slice: (start, end) => bytesOf(handle, start, end),
    slices: (ranges) => Promise.all(ranges.map(({ start, end }) => bytesOf(handle, start, end))),
    isDamaged: () => false,
    statedSize: async () => undefined,
    ...ofFile(handle),
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

/** A file that can only be decompressed from its start. */
function compressed(handle: FileHandle, form: Form, size: number): Source {
  let damaged = false;

  async function* chunks(from: number): AsyncGenerator<Buffer> {
    let skip = from;
    const onDamage = () => {
      damaged = true;
    };
    for await (const chunk of decompress(handle, form, onDamage)) {
      if (skip < chunk.length) yield skip > 0 ? chunk.subarray(skip) : chunk;
      skip = Math.max(0, skip - chunk.length);
    }
  }

  async function slice(start: number, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let missing = end - start;
    if (missing === 0) return Buffer.alloc(0);
    for await (const chunk of chunks(start)) {
      pieces.push(chunk.subarray(0, missing));
      missing -= chunk.length;
      if (missing <= 0) break;
    }
    return Buffer.concat(pieces);
  }

  return {
    isSeekable: false,
    chunks,
    slice,
    slices: (ranges) => Promise.all(ranges.map(({ start, end }) => slice(start, end))),
    isDamaged: () => damaged,
    async statedSize() {
      // Its last four bytes; zstd states no size at a fixed position.
      if (form !== 'gzip' || size < 4) return undefined;
      const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, size - 4);
      return buffer.readUInt32LE();
    },
    ...ofFile(handle),
  };
}

/** Decompression runs in the engine's thread pool. */
async function* decompress(
  handle: FileHandle,
  form: Form,
  onDamage: () => void,
): AsyncGenerator<Buffer> {
  const options = { chunkSize: CHUNK_BYTES };
  const inflate = form === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  const bytes = Readable.from(pieces(handle));
  bytes.on('error', (error) => inflate.destroy(error));
  try {
    yield* bytes.pipe(inflate) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!isDamage(error)) throw error;
    onDamage();
  } finally {
    bytes.destroy();
    inflate.destroy();
  }
}

async function* pieces(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const piece = await bytesOf(handle, position, position + CHUNK_BYTES);
    if (piece.length === 0) return;
    position += piece.length;
    yield piece;
  }
}

/** Errors of zlib and zstd have their own codes; anything else is an error of ours. */
function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(Z_|ZSTD_)/.test(code);
}
