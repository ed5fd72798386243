/** Reads the log of Caddy's errors: what is new in it, and why a request failed. */
import { type FileHandle, open } from 'node:fs/promises';
import { createQueue } from '../../src/shared/async.ts';
import { field, type Json, parseJson } from '../../src/shared/json.ts';
import { cleanSentence } from '../caddy/words.ts';

type ErrorLog = {
  /** Whole lines, one call at a time; none if the file is missing or cannot be read. Never rejects. */
  read(): Promise<string[]>;
  close(): Promise<void>;
};

/** How much one call reads, and so how far back the first call goes. */
const MOST_BYTES = 1 << 20;

const LF = 0x0a;

/** Reads the lines that were added since the last call, even if Caddy rolled the log. @param file the live log */
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

/** How much of the end of the log is searched for a reason; it is rolled at 10 MB. */
const MOST_SEARCHED = 4 << 20;
/** Caddy logs the error and the request at the same moment, milliseconds apart. */
const APART_SECONDS = 2;

/**
 * Looks for what Caddy logged as the reason: returns a function that gives the reason for the failure of a request,
 * without host paths, or null. Never rejects.
 * @param file the live log
 */
export async function readRequestErrors(file: string): Promise<(details: Json) => string | null> {
  const lines = (await endOf(file)).split('\n').reverse();
  return (details) => {
    const port = field(details, 'request', 'remote_port');
    if (typeof port !== 'string') return null;
    const needle = `"remote_port":"${port}"`;
    for (const line of lines) {
      if (!line.includes(needle)) continue;
      const entry = parseJson(line);
      const message = isSame(entry, details) ? field(entry, 'msg') : undefined;
      if (typeof message === 'string') return cleanSentence(message);
    }
    return null;
  };
}

const IDENTITY = ['remote_ip', 'remote_port', 'method', 'host', 'uri'] as const;

function isSame(error: Json, entry: Json): boolean {
  const isError = String(field(error, 'logger')).startsWith('http.log.error');
  const apart = Number(field(error, 'ts')) - Number(field(entry, 'ts'));
  return (
    isError &&
    Math.abs(apart) <= APART_SECONDS &&
    IDENTITY.every((name) => field(error, 'request', name) === field(entry, 'request', name))
  );
}

async function endOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, MOST_SEARCHED));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
