/** What a config may not reach: the admin endpoint, files, the storage. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPreamble } from '../../../src/shared/caddyfile/preamble.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
const sites = join(folder, 'sites');
const owner = await forFile(startOwner({ IMPORT_DIRS: sites }, folder));

beforeAll(async () => {
  mkdirSync(sites);
  writeFileSync(join(sites, 'hello'), 'respond imported');
  writeFileSync(join(folder, 'secret'), 'respond secret');
  symlinkSync(join(folder, 'secret'), join(sites, 'link'));
});

const create = (config: string) =>
  owner.call('POST', '/vhosts', { domain: 'http://reach.example', config });

describe('a vhost is refused if it reaches', () => {
  test.each<[string, string]>([
    ['a file outside the allowed folders', `import ${folder}/secret`],
    ['such a file through dots', `import ${sites}/../secret`],
    ['such a file through a link', `import ${sites}/link`],
    ['such a file through a pattern', `import ${folder}/*/secret`],
  ])('%s', async (_, config) => {
    const answer = await create(config);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toMatch(/import/);
    expect(answer.text).not.toContain('respond secret');
    expect((await owner.call<Body[]>('GET', '/vhosts')).body).toEqual([]);
  });
});

test('a file in an allowed folder is imported', async () => {
  const made = await create(`import ${sites}/hello`);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  expect(await owner.served('reach')).toBe('imported');
});

test.each([
  '{\n\tstorage file_system /x\n}',
  '{ storage file_system /x\n}',
  '{\n\t"storage" redis {\n\t}\n}',
])('a preamble that sets the storage is refused: %j', (preamble) => {
  expect(checkPreamble(preamble)?.message).toContain('storage');
});
