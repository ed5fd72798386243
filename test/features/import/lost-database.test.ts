/** A lost database, made good by an import of the Caddyfile that is served. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { ask, signUp, startStack, until } from '../../harness/stack.ts';

const stack = await forFile(startStack());
let { headers } = await signUp(stack);
const create = (name: string, query = '') =>
  ask(`${stack.hub}/vhosts${query}`, {
    json: { domain: `http://${name}.example:${stack.httpPort}`, config: `respond ${name}` },
    headers,
  });
const importFile = (proxyfile: string) =>
  ask(`${stack.hub}/import`, { json: { proxyfile }, headers });
const served = async (name: string) => (await stack.served(`${name}.example`)).text;

expect((await create('first')).status).toBe(201);

/** Restarts the hub without its database, and makes an account again. @param then is there in its place */
async function lose(then?: string): Promise<void> {
  await stack.restart(() => {
    const database = join(stack.dataDir, 'signalbox.db');
    for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true });
    if (then !== undefined) writeFileSync(database, then);
  });
  ({ headers } = await signUp(stack));
  await until(async () => {
    const { body } = await ask<{ warnings: string[] }>(`${stack.hub}/status`, { headers });
    return body.warnings.join().includes('signalbox restore');
  }, 'the warning');
}

test('one that was removed, also if other sites have replaced those of before', async () => {
  const before = stack.readProxyfile();
  await lose();
  expect((await create('second', '?replace=true')).status).toBe(201);
  expect([await served('first'), await served('second')]).toEqual(['', 'second']);
  expect((await importFile(before)).status).toBe(200);
  expect([await served('first'), await served('second')]).toEqual(['first', 'second']);
});

test('one that was emptied', async () => {
  await lose('');
  expect((await importFile(stack.readProxyfile())).status).toBe(200);
  expect(await served('first')).toBe('first');
  expect((await create('third')).status).toBe(201);
  expect(await served('first')).toBe('first');
});
