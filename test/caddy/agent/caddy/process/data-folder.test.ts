/** Data folders with unusual names, with each Caddy there is. */
import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../../../../harness/caddys.ts';
import { ask, type Stack, signUp, startStack, temporaryFolder } from '../../../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const linked = () => {
  const folder = temporaryFolder();
  const link = join(folder, 'my  sites, Größe für Öl, 50% #1?&+');
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), link);
  return join(link, 'with spaces  and 50% #1?&+ too');
};

test.each([
  ['with spaces, umlauts and signs of a URL, behind a link', linked],
  [
    'of 200 characters, too long for a socket',
    () => join(temporaryFolder(), 'a'.repeat(90), 'ü'.repeat(50), 'b'),
  ],
])('a data folder works %s', async (_, folderOf) => {
  const folder = folderOf();
  stack = await startStack({}, folder);
  expect(stack.settings.agent.proxy.admin.length).toBeLessThan(105);
  const { headers } = await signUp(stack);
  const create = (domain: string) =>
    ask(`${stack?.hub}/vhosts`, {
      json: { domain: `http://${domain}:${stack?.httpPort}`, config: `respond ${domain}` },
      headers,
    });
  expect((await create('a.example')).status).toBe(201);
  await stack.restart();
  expect((await create('b.example')).status).toBe(201);
  for (const domain of ['a.example', 'b.example']) {
    expect((await stack.served(domain)).text).toBe(domain);
  }
  const { body } = await ask<{ inStep: boolean }>(`${stack.hub}/status`, { headers });
  expect(body.inStep).toBe(true);
  expect(caddiesOf(stack.dataDir, 'caddy').length).toBe(1);
});
