/** What the tests of a file share, from before the first until after the last. */
import { afterAll } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryFolder } from './stack.ts';

/** How to end what the current file shares. */
const ends: (() => unknown)[] = [];

/** What was started last ends first: it may use what is older. */
function endAfterAll(end: () => unknown): void {
  ends.push(end);
  if (ends.length > 1) return;
  afterAll(async () => {
    for (let last = ends.pop(); last; last = ends.pop()) await last();
  });
}

/** Waits until it runs, and stops it after the last test of the file. */
export async function forFile<T extends { stop(): unknown }>(starting: T | Promise<T>): Promise<T> {
  const running = await starting;
  endAfterAll(() => running.stop());
  return running;
}

/** A folder that is removed after the last test of the file. */
export function folderForFile(): string {
  const folder = temporaryFolder();
  endAfterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
