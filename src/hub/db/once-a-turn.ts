/** What many requests ask the database, or of its file, at the same time, asked once. */
import type { Db } from './open.ts';

/**
 * Keeps what `read` has found for the current turn of the event loop, and until this connection writes something. What
 * another program writes within a turn counts from the next one.
 */
export function onceATurn<T>(
  { $client }: Pick<Db, '$client'>,
  read: (key: string) => T,
): (key: string) => T {
  const count = $client.query<{ writes: number }, []>('SELECT total_changes() AS writes');
  const known = new Map<string, T>();
  let last: number | undefined;
  return (key) => {
    // What it reads now may be rolled back.
    if ($client.inTransaction) return read(key);
    const writes = count.get()?.writes;
    if (writes !== last) known.clear();
    last = writes;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size === 0) setImmediate(() => known.clear());
    const made = read(key);
    known.set(key, made);
    return made;
  };
}

/** `check`, which throws or not, once in a turn of the event loop; one that throws is made again. */
export function checkOnceATurn(check: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    check();
    isDone = true;
    setImmediate(() => {
      isDone = false;
    });
  };
}
