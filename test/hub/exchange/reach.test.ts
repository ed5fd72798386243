/** What a config may not reach: the admin endpoint, files, the storage. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPreamble } from '../../../src/shared/caddyfile/preamble.ts';
import { type Body, type Owner, startOwner } from '../../harness/owner.ts';
import { freePort, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
const sites = join(folder, 'sites');
let owner: Owner;

beforeAll(async () => {
  mkdirSync(sites);
  writeFileSync(join(sites, 'hello'), 'respond imported');
  writeFileSync(join(folder, 'secret'), 'respond secret');
  symlinkSync(join(folder, 'secret'), join(sites, 'link'));
  owner = await startOwner({ IMPORT_DIRS: sites }, folder);
});
afterAll(() => owner.stack.stop());

const create = (config: string, more: object = {}) =>
  owner.call('POST', '/vhosts', { domain: 'http://reach.example', config, ...more });

describe('a vhost is refused if it reaches', () => {
  const admin = () => owner.stack.settings.agent.proxy.admin;
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

test('a TCP admin endpoint is refused as an upstream, however it is written', async () => {
  const other = await startOwner({ PROXY_ADMIN: `localhost:${freePort()}` });
  const [, port] = other.stack.settings.agent.proxy.admin.split(':');
  for (const upstream of [`localhost:${port}`, `http://127.0.0.1:${port}`, `[::1]:${port}`]) {
    const json = { domain: 'http://a.example', config: 'reverse_proxy {upstream}', upstream };
    const answer = await other.call('POST', '/vhosts', json);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
  }
  await other.stack.stop();
});
