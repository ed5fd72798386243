/** What a Caddy with a user of its own can still do. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOwner } from '../../../../harness/owner.ts';
import { isRoot, openFolder } from '../../../../harness/unprivileged.ts';

const folders: string[] = [];
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!isRoot)('a site may import what IMPORT_DIRS allows, and nothing else', async () => {
  const { folder, home } = openFolder(0);
  folders.push(folder);
  const sites = join(folder, 'sites');
  mkdirSync(join(sites, 'more'), { recursive: true });
  writeFileSync(join(sites, 'head'), 'header X-Imported yes\nimport more/*\n');
  writeFileSync(join(sites, 'more/tail'), 'header X-More yes\n');
  writeFileSync(join(folder, 'other'), 'header X-Other yes\n');
  // Nor is it in the way that this user may not enter the folder in which the agent was started.
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  process.chdir(closed);
  const { stack, call } = await startOwner({ IMPORT_DIRS: sites }, home);
  const { uid } = statSync(join(home, 'data/caddy/data'));
  expect(uid).not.toBe(0);

  const domain = 'http://a.example';
  const config = (file: string) => `import ${join(folder, file)}\nrespond imported`;
  const refused = await call('POST', '/vhosts', { domain, config: config('other') });
  expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
  const created = await call('POST', '/vhosts', { domain, config: config('sites/head') });
  expect([created.status, created.body.detail]).toEqual([201, undefined]);
  const { text, headers } = await stack.served('a.example');
  expect([text, headers.get('x-imported'), headers.get('x-more')]).toEqual([
    'imported',
    'yes',
    'yes',
  ]);
  // Where Caddy works, no site can leave anything.
  const { uid: owner, mode } = statSync(join(home, 'data/caddy/empty'));
  expect([owner, mode & 0o027]).toEqual([0, 0]);
  await stack.stop();
});
