/** Reads a segment with a seek table. */
import type { FileHandle } from 'node:fs/promises';
import { frameAt, type SeekTable } from './seek-table.ts';
import { bytesOf, ofFile, type Source } from './source.ts';

/** Decompresses any frame by itself, in the engine's thread pool. */
export function packed(handle: FileHandle, table: SeekTable): Source {
  const { stored, offsets } = table;
  const frames = offsets.length - 1;

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
    const found = await Bun.zstdDecompress(bytes).catch(() => undefined);
    return found?.length === size ? found : undefined;
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
    statedSize: async () => (offsets[frames] as number) % 2 ** 32,
    ...ofFile(handle),
  };
}
