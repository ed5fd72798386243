import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSegments, rollsOf } from '../../../../agent/logs/files/segments.ts';
import { words } from '../../../harness/words.ts';
import { temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();

test('names that only look like rolled files are ignored', () => {
  const names = words(`
    access.log.1 access-old.log access-2026-11-20.log access-2026-11-20T22-17-03.468.log.bz2
    access-2026-11-20T22-17-03.468.txt other-2026-11-20T22-17-03.468.log
    my-access-2026-11-20T22-17-03.468.log
  `);
  expect(rollsOf('access.log', names)).toEqual([]);
});

test('rolled files come after the live file, newest first', () => {
  const names = [
    'access-2026-11-20T22-17-03.468.log.gz',
    'access-2026-11-20T22-17-03.469-size.log.zst',
    'access-2025-11-20T22-17-03.468.log',
    'access-2026-12-01T00-00-00.000.log',
    'access.log',
  ];
  expect(rollsOf('access.log', names).map(({ name }) => name)).toEqual([
    'access.log',
    'access-2026-12-01T00-00-00.000.log',
    'access-2026-11-20T22-17-03.469-size.log.zst',
    'access-2026-11-20T22-17-03.468.log.gz',
    'access-2025-11-20T22-17-03.468.log',
  ]);
});

test('a rolled file in two forms counts once, as the plain one', () => {
  const stem = 'log-2026-11-20T22-17-03.468';
  const found = rollsOf('log', [`${stem}.gz`, stem, `${stem}.zst`]);
  expect(found).toEqual([{ name: stem, form: 'plain', live: false }]);
});

test('a missing folder has no segments, and a folder is not a segment', async () => {
  const folder = newFolder();
  expect(await listSegments(join(folder, 'nowhere', 'access.log'))).toEqual([]);
  mkdirSync(join(folder, 'access-2026-11-20T22-17-03.468.log'));
  writeFileSync(join(folder, 'access.log'), 'x');
  const segments = await listSegments(join(folder, 'access.log'));
  expect(segments?.map(({ live, size }) => ({ live, size }))).toEqual([{ live: true, size: 1 }]);
});
