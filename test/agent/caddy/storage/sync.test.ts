/** Whether what Caddy 2.6.2 writes without syncing it outlives a power cut soon. */
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createStorageSync } from '../../../../agent/caddy/storage/sync.ts';
import { PACE } from '../../../../agent/pace.ts';
import { makeImage, mayMount, mountImage, unmount } from '../../../harness/mount.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';

const folder = temporaryFolder();
const [image, disk, copy, rest] = ['image', 'disk', 'copy', 'rest'].map((name) =>
  join(folder, name),
) as [string, string, string, string];
const mayCut = mayMount && makeImage(image, '32m') && mountImage(image, disk);
afterAll(() => {
  unmount(disk);
  rmSync(folder, { recursive: true });
});

const FILES = [
  'pki/authorities/local/root.key',
  'certificates/local/a.test/a.test.key',
  'certificates/local/a.test/a.test.json',
  'acme/acme.test-directory/users/default/default.key',
];

/** What is in the files after a cut at this moment. */
function afterCut(): string[] {
  copyFileSync(image, copy);
  if (!mountImage(copy, rest)) throw new Error('the copy cannot be mounted');
  try {
    return FILES.map((file) => {
      try {
        return readFileSync(join(rest, file), 'utf8');
      } catch {
        return 'missing';
      }
    });
  } finally {
    unmount(rest);
  }
}

function write(text: string): void {
  for (const file of FILES) {
    mkdirSync(dirname(join(disk, file)), { recursive: true });
    writeFileSync(join(disk, file), text);
  }
}

test.skipIf(!mayCut)('new and overwritten files are on the disk soon', async () => {
  const sync = createStorageSync(disk, PACE.storage);
  for (const text of ['first', 'second']) {
    write(text);
    expect(afterCut()).not.toContain(text);
    sync.soon();
    await until(() => afterCut().every((now) => now === text), text);
  }
  write('third');
  await sync.stop();
  expect(afterCut()).toEqual(FILES.map(() => 'third'));
});

test('what cannot be synced does no harm', async () => {
  const sync = createStorageSync(join(folder, 'none'), PACE.storage);
  sync.soon();
  await sync.stop();
  const storage = join(folder, 'odd');
  mkdirSync(join(storage, 'certificates'), { recursive: true });
  symlinkSync('/', join(storage, 'certificates/local'));
  Bun.spawnSync(['mkfifo', join(storage, 'certificates/pipe')]);
  await createStorageSync(storage, PACE.storage).stop();
});
