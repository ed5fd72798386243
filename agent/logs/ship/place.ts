/** Up to where the log has been shipped: stored after each answer, so that a restart continues there. */
import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { formatPosition, type LogPosition, parsePosition } from '../files/log-position.ts';
import { absent } from '../files/segments.ts';

export type Place = {
  /** After the last entry that the engine has accepted; undefined if shipping began without one. */
  position: LogPosition | undefined;
  /** The time of that entry, or when shipping began: milliseconds since 1970. */
  time: number;
  /** The engine that has accepted entries before, as `engineOf` names it; null if none has. */
  engine: string | null;
};

/** Names an engine without repeating its address, which may contain a secret. */
export const engineOf = (url: string): string =>
  createHash('sha256').update(url).digest('hex').slice(0, 16);

/**
 * The stored place; undefined if there is no file.
 * @throws Error if the file is damaged; file system errors
 */
export async function loadPlace(file: string): Promise<Place | undefined> {
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const place = parsePlace(text);
  if (place) return place;
  throw new Error(`${basename(file)} is damaged; delete it to ship only new entries`);
}

function parsePlace(text: string): Place | undefined {
  try {
    const { after, time, engine } = JSON.parse(text) as Record<string, unknown>;
    const position = typeof after === 'string' ? parsePosition(after) : undefined;
    if ((after !== null && !position) || typeof time !== 'number') return undefined;
    return { position, time, engine: typeof engine === 'string' ? engine : null };
  } catch {
    return undefined;
  }
}

/** Replaces the stored place, safe from a power cut from then on. @throws file system errors */
export async function storePlace(file: string, { position, time, engine }: Place): Promise<void> {
  const unfinished = `${file}.tmp`;
  const after = position ? formatPosition(position) : null;
  await sync(unfinished, 'w', `${JSON.stringify({ after, time, engine })}\n`);
  await rename(unfinished, file);
  await sync(dirname(file), 'r');
}

/** Syncs a file or folder, after writing `text`. */
async function sync(path: string, flags: 'r' | 'w', text = ''): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    if (text !== '') await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
