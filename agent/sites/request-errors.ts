/** Finds what Caddy logged as the reason why a request failed. */
import { open } from 'node:fs/promises';
import { field, type Json } from '../caddy/json.ts';
import { cleanSentence } from '../caddy/words.ts';

/** How much of the end of the error log is searched; it is rolled at 10 MB. */
const MOST_BYTES = 4 << 20;
/** Caddy logs the error and the request at the same moment, milliseconds apart. */
const APART_SECONDS = 2;

/**
 * Reads the error log, and returns a function that gives the reason for the failure of a request,
 * without host paths, or null. Never rejects.
 * @param file the live error log
 */
export async function readRequestErrors(file: string): Promise<(details: Json) => string | null> {
  const lines = (await endOf(file)).split('\n').reverse();
  return (details) => {
    const port = field(details, 'request', 'remote_port');
    if (typeof port !== 'string') return null;
    const needle = `"remote_port":"${port}"`;
    for (const line of lines) {
      if (!line.includes(needle)) continue;
      const entry = parse(line);
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

function parse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}

async function endOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, MOST_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
