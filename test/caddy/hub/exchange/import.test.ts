/** Importing a Caddyfile, with golden files for what becomes of it. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportAnswer } from '../../../../src/features/import/schemas.ts';
import { forFile } from '../../../harness/for-file.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';
import { freePort } from '../../../harness/stack.ts';

const GOLDEN = join(import.meta.dir, '../../../golden/import');
const files = [...new Bun.Glob('*.Caddyfile').scanSync(GOLDEN)].toSorted();

type Imported = ImportAnswer & Body;

const post = (proxyfile: string, more: object = {}) =>
  owner.call<Imported>('POST', '/import', { proxyfile, ...more });
const text = async (path: string) => (await owner.call('GET', path)).text;

const owner = await forFile(startOwner());
const stack = owner.stack;

test.each(files)('a file becomes what its golden file says: %s', async (name) => {
  const file = readFileSync(join(GOLDEN, name), 'utf8');
  const answer = await post(file, { dryRun: true });
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  const { merge, ...rest } = answer.body;
  const golden = join(GOLDEN, name.replace('.Caddyfile', '.json'));
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, `${JSON.stringify(rest, null, 2)}\n`);
  expect(merge.sites.map(({ action }) => action)).toEqual(rest.vhosts.map(() => 'create'));
  expect(rest).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
  // Comments are kept.
  const kept = [
    answer.body.preamble,
    ...answer.body.vhosts.map(({ config, upstream }) => config.replaceAll('{upstream}', upstream)),
  ].join('\n');
  for (const comment of file.match(/# .*$/gm) ?? []) expect(kept).toContain(comment.trim());
  // Importing the result changes nothing.
  const again = await post(answer.body.proxyfile, { dryRun: true });
  expect(again.body.proxyfile).toBe(answer.body.proxyfile);
  expect(await text('/vhosts')).toBe('[]');
});

test('an import is one publish, keeps the ports it does not set, and can be undone site by site', async () => {
  const port = freePort();
  const file = `{\n\tadmin off\n\tgrace_period 3s\n}\n\n(s) {\n\trespond from-snippet\n}\n\n# first\nhttp://one.example {\n\timport s\n}\n\nhttp://two.example, http://three.example {\n\trespond {host}\n}\n:${port} {\n\treverse_proxy 127.0.0.1:9\n}\n`;
  const answer = await post(file);
  expect(answer.status).toBe(200);
  expect(answer.body.skipped).toEqual([{ line: 2, reason: expect.stringContaining('admin') }]);
  expect(answer.body.preamble).toContain(`http_port ${stack.httpPort}`);
  expect(answer.body.vhosts.map(({ domain, upstream }) => [domain, upstream])).toEqual([
    ['http://one.example', ''],
    ['http://two.example', ''],
    [`:${port}`, '127.0.0.1:9'],
  ]);
  expect(answer.body.proxyfile).toBe(stack.readProxyfile());
  expect((await stack.served('one.example')).text).toBe('from-snippet');
  expect((await stack.served('three.example')).text).toBe('three.example');
  const status = await owner.call('GET', '/status');
  expect(status.body).toMatchObject({ inStep: true, lastPublish: { changes: 1 } });
  const log = await owner.changelog();
  expect(log.map(({ action, domain }) => `${action} ${domain}`)).toEqual([
    `create :${port}`,
    'create http://two.example',
    'create http://one.example',
    'update (preamble)',
  ]);
  // The machine's trust store is still left alone.
  expect(answer.body.preamble).toContain('skip_install_trust');
  for (const dryRun of [true, false]) {
    const again = await post('http://two.example {\n}\n', { dryRun });
    expect([again.status, again.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    expect(again.body.detail).toStartWith('in http://two.example: ');
  }
  const entry = log[1]?.id;
  expect((await owner.call('POST', `/changelog/${entry}/revert`)).status).toBe(200);
  expect((await stack.served('three.example')).text).toBe('');
});
