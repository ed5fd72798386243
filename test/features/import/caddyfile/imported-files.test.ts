/** The files that a target of `import` names are those that Caddy reads. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesAt } from '../../../../src/features/import/caddyfile/imported-files.ts';
import { folderForFile } from '../../../harness/for-file.ts';
import { words } from '../../../harness/words.ts';

const folder = folderForFile();
const FILES = words(`
  a.caddy B.caddy é.caddy !z.caddy x{1}.caddy .b.caddy ab one/Caddyfile two/Caddyfile
  two/more.caddy aba
`);

beforeAll(() => {
  for (const [number, file] of FILES.entries()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `http://host-${number}.example {\n}\n`);
  }
});

/** The numbers of the files; null if the text is refused. */
async function inCaddy(target: string): Promise<string[] | null> {
  const main = join(folder, 'Main');
  writeFileSync(main, `import ${target}\n`);
  const caddy = Bun.spawn(['caddy', 'adapt', '--adapter', 'caddyfile', '--config', main], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const text = await caddy.stdout.text();
  rmSync(main);
  return (await caddy.exited) === 0 ? hostsIn(text) : null;
}

const hostsIn = (text: string): string[] => [...text.matchAll(/host-\d+/g)].map(([host]) => host);

test.each(
  words(`
  a.caddy a*.caddy !*.caddy x{*}.caddy x{1}.caddy ?.caddy ?b.caddy .*.caddy ab*ba */Caddyfile
  t*/more.caddy nowhere* nowhere/*.caddy [a].caddy a*.?addy **.caddy
`),
)('%s', async (target) => {
  const found = filesAt(target, folder);
  const hosts = found?.flatMap(({ text }) => hostsIn(text));
  expect(hosts?.sort() ?? null).toEqual((await inCaddy(target))?.sort() ?? null);
});

test('leaves out hidden files and folders, as newer Caddys do, and gives each its folder', () => {
  const all = filesAt('*.caddy', folder) ?? [];
  const hosts = all.flatMap(({ text }) => hostsIn(text));
  expect(hosts).toEqual(['host-3', 'host-1', 'host-0', 'host-4', 'host-2']);
  expect(filesAt('*', folder)).toHaveLength(7);
  const inFolders = filesAt('*/Caddyfile', folder)?.map((file) => basename(file.folder));
  expect(inFolders).toEqual(['one', 'two']);
  expect(filesAt('nothing.caddy', folder)).toBeNull();
});
