import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPreamble } from '../../../src/shared/caddyfile/preamble.ts';
import { ask, type Stack, signUp, startStack, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
const sites = join(folder, 'sites');
let stack: Stack;
let headers: Record<string, string>;

beforeAll(async () => {
  mkdirSync(sites);
  writeFileSync(join(sites, 'hello'), 'respond imported');
  writeFileSync(join(folder, 'secret'), 'respond secret');
  symlinkSync(join(folder, 'secret'), join(sites, 'link'));
  stack = await startStack({ IMPORT_DIRS: sites }, folder);
  headers = (await signUp(stack)).headers;
});
afterAll(() => stack.stop());

const create = (config: string) =>
  ask<{ code: string; detail: string }>(`${stack.hub}/vhosts`, {
    headers,
    json: { domain: 'http://reach.example', config },
  });

describe('a vhost is refused that reaches', () => {
  test.each<[string, string]>([
    ['a file outside of the folders', `import ${folder}/secret`],
    ['one through dots', `import ${sites}/../secret`],
    ['one through a link', `import ${sites}/link`],
    ['one through a pattern', `import ${folder}/*/secret`],
  ])('%s', async (_, config) => {
    const answer = await create(config);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toMatch(/import/);
    expect(answer.text).not.toContain('respond secret');
    expect((await ask(`${stack.hub}/vhosts`, { headers })).body).toEqual([]);
  });
});

test('a file below an allowed folder is imported', async () => {
  const made = await create(`import ${sites}/hello`);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  expect((await stack.served('reach.example')).text).toBe('imported');
});

test.each([
  '{\n\tstorage file_system /x\n}',
  '{ storage file_system /x\n}',
  '{\n\t"storage" redis {\n\t}\n}',
])('a preamble with a storage of its own is refused: %j', (preamble) => {
  expect(checkPreamble(preamble)?.message).toContain('storage');
});
