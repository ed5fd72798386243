/** Temporary folders and logs for tests. */
import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogs, type Logs } from '../../../agent/logs/logs.ts';
import { createKeeper } from '../../../agent/logs/storage/keeper.ts';
import { PACE } from '../../../agent/pace.ts';
import { line } from './lines.ts';

/** Makes folders that are removed after the tests of the file. */
export function temporaryFolders(): () => string {
  const made: string[] = [];
  afterAll(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-logs-'));
    made.push(folder);
    return folder;
  };
}

/** A keeper that packs everything and deletes nothing. */
export const keeperOf = (file: string) =>
  createKeeper({
    pace: PACE.keeper,
    file,
    limits: { keep: null, days: null, megabytes: null },
    log: () => {},
  });

export const ALL = { page: 1, pageSize: 500 };
export const ROLL = 'access-2026-11-20T22-17-03.468.log';

/** Lines with the given paths. */
export const lines = (...uris: string[]): string =>
  uris.map((uri) => `${line({ request: { uri } })}\n`).join('');

/** Makes logs of the given files, closed after the tests of the file; `paths` are those of the entries that match, newest first. */
export function temporaryLogs() {
  const newFolder = temporaryFolders();
  const made: Logs[] = [];
  afterAll(() => {
    for (const logs of made) logs.close();
  });
  return (files: Readonly<Record<string, string | Uint8Array>>) => {
    const folder = newFolder();
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const logs = createLogs({ file: join(folder, 'access.log'), timeout: 20_000 });
    made.push(logs);
    const paths = async (filter = {}) => {
      const { logs: entries, total } = await logs.page({ ...ALL, ...filter });
      expect(total).toBe(entries.length);
      return entries.map(({ path }) => path).join(' ');
    };
    return { logs, paths, at: (name: string) => join(folder, name) };
  };
}
