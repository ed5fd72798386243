/** What a config may not reach: the admin endpoint, files, the storage. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPreamble } from '../../../src/shared/caddyfile/preamble.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
} from '../../harness/stack.ts';

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

const create = (config: string, more: object = {}) =>
  ask<{ code: string; detail: string }>(`${stack.hub}/vhosts`, {
    headers,
    json: { domain: 'http://reach.example', config, ...more },
  });

describe('a vhost is refused if it reaches', () => {
  const admin = () => stack.settings.agent.proxy.admin;
  test.each<[string, () => [string, object?]]>([
    ['the admin socket', () => [`reverse_proxy ${admin()}`]],
    [
      'the admin socket, even if the vhost is disabled',
      () => [`reverse_proxy ${admin()}`, { enabled: false }],
    ],
    ['whatever a request names', () => ['reverse_proxy {header.to}']],
    ['a file outside the allowed folders', () => [`import ${folder}/secret`]],
    ['such a file through dots', () => [`import ${sites}/../secret`]],
    ['such a file through a link', () => [`import ${sites}/link`]],
    ['such a file through a pattern', () => [`import ${folder}/*/secret`]],
  ])('%s', async (_, make) => {
    const [config, more] = make();
    const answer = await create(config, more);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toMatch(/admin endpoint|imported|import/);
    expect(answer.text).not.toContain('respond secret');
    expect((await ask(`${stack.hub}/vhosts`, { headers })).body).toEqual([]);
  });
});

test('a file in an allowed folder is imported', async () => {
  const made = await create(`import ${sites}/hello`);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  expect((await stack.served('reach.example')).text).toBe('imported');
});

test.each([
  '{\n\tstorage file_system /x\n}',
  '{ storage file_system /x\n}',
  '{\n\t"storage" redis {\n\t}\n}',
])('a preamble that sets the storage is refused: %j', (preamble) => {
  expect(checkPreamble(preamble)?.message).toContain('storage');
});

test('a TCP admin endpoint is refused as an upstream, however it is written', async () => {
  const other = await startStack({ PROXY_ADMIN: `localhost:${freePort()}` });
  const owner = await signUp(other);
  const [, port] = other.settings.agent.proxy.admin.split(':');
  for (const upstream of [`localhost:${port}`, `http://127.0.0.1:${port}`, `[::1]:${port}`]) {
    const answer = await ask<{ code: string }>(`${other.hub}/vhosts`, {
      headers: owner.headers,
      json: { domain: 'http://a.example', config: 'reverse_proxy {upstream}', upstream },
    });
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
  }
  await other.stop();
});
