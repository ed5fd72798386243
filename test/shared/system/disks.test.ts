/** How full disks are, on real small ones. */
import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDisks } from '../../../src/shared/system/disks.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { fill, mayMount, mountSmall, unmount } from '../../harness/mount.ts';

const folder = folderForFile();

test('a folder that is not there yet counts as the one above it, and one disk is one entry', async () => {
  const here = join(folder, 'here');
  mkdirSync(here);
  const found = await createDisks([
    { what: 'the data', folder: here },
    { what: 'the log', folder: join(folder, 'not', 'yet') },
  ])();
  expect(found).toMatchObject([{ holds: ['the data', 'the log'] }]);
  const [again] = await createDisks([{ what: 'the data', folder }])();
  expect(again?.id).toBe(found[0]?.id ?? '');
});

test('a path that is not a folder of any disk is left out', async () => {
  expect(await createDisks([{ what: 'nothing', folder: '/proc/self' }])()).toEqual([]);
});

test.skipIf(!mayMount)('a small disk is another one, and fills', async () => {
  const small = join(folder, 'small');
  expect(mountSmall(small, 'size=4m')).toBe(true);
  try {
    const disks = createDisks([
      { what: 'the data', folder },
      { what: 'the log', folder: small },
    ]);
    const [, empty] = await disks();
    expect(empty?.free).toBeGreaterThan(0.9);
    const drain = fill(small, 160_000);
    const [data, full] = await disks();
    expect(full?.holds).toEqual(['the log']);
    expect(full?.free).toBeLessThan(0.05);
    expect(full?.id).not.toBe(data?.id ?? '');
    drain();
    expect((await disks())[1]?.free).toBeGreaterThan(0.9);
  } finally {
    unmount(small);
  }
});
