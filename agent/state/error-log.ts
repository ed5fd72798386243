/** The lines that were added to a log since one looked last, across Caddy's rolls. */
import { type FileHandle, open } from 'node:fs/promises';

/** What is read back of a log that was there before us, and at most at one look. */
const MOST_BYTES = 1 << 20;

const LF = 0x0a;

export function createErrorLog(file: string) {
  let handle: FileHandle | null = null;
  let position = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Whole lines from the position on; of too many the newest. */
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
    // It may begin in the middle of one.
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
    /** One call at a time; a file that is not there, or cannot be read, has no lines. */
    read(): Promise<string[]> {
      const result = last.then(read, read).catch(() => []);
      last = result;
      return result;
    },

    async close(): Promise<void> {
      await last;
      await handle?.close();
      handle = null;
    },
  };
}
