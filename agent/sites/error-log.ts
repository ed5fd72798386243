/** Reads the lines that were added to a log since the last call, even if Caddy rolled it. */
import { type FileHandle, open } from 'node:fs/promises';
import { createQueue } from '../../src/shared/async.ts';

export type ErrorLog = {
  /** Whole lines, one call at a time; none if the file is missing or cannot be read. Never rejects. */
  read(): Promise<string[]>;
  close(): Promise<void>;
};

/** How much one call reads, and so how far back the first call goes. */
const MOST_BYTES = 1 << 20;

const LF = 0x0a;

/** @param file the live log */
export function createErrorLog(file: string): ErrorLog {
  let handle: FileHandle | null = null;
  let position = 0;
  const enqueue = createQueue();

  /** Whole lines from `position` on, only the newest if there are too many. */
  async function rest(of: FileHandle): Promise<string[]> {
    const { size } = await of.stat();
    if (size < position) position = 0;
    const skipped = size - position > MOST_BYTES;
    if (skipped) position = size - MOST_BYTES;
    const buffer = Buffer.alloc(size - position);
    const { bytesRead } = await of.read(buffer, 0, buffer.length, position);
    const end = buffer.lastIndexOf(LF, bytesRead - 1) + 1;
    if (bytesRead === 0 || end === 0) return [];
    position += end;
    const lines = buffer.toString('utf8', 0, end - 1).split('\n');
    // The first one may be cut.
    return skipped ? lines.slice(1) : lines;
  }

  async function read(): Promise<string[]> {
    const lines = handle === null ? [] : await rest(handle);
    const now = await open(file, 'r').catch(() => null);
    if (now === null) return lines;
    if (handle !== null) {
      const [known, found] = [await handle.stat(), await now.stat()];
      if (known.dev === found.dev && known.ino === found.ino) {
        await now.close();
        return lines;
      }
      await handle.close();
    }
    handle = now;
    position = 0;
    return [...lines, ...(await rest(now))];
  }

  return {
    read: () => enqueue(read).catch(() => []),

    close: () =>
      enqueue(async () => {
        await handle?.close();
        handle = null;
      }),
  };
}
