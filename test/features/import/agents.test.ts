/** Importing the sites of one agent’s proxy. */
import { expect, test } from 'bun:test';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';

const fleet = await forFile(startFleet(['vps', 'visitor']));
const call = <T = { code?: string }>(method: string, path: string, json?: unknown) =>
  fleet.call<T>(method, path, json);
const fileOf = (name: string) => fleet.other(name).readProxyfile();

test('they are placed on it alone, and the preamble is its own', async () => {
  const proxyfile = 'http://only.example {\n\trespond only\n}\n';
  const refused = await call('POST', '/import', { proxyfile, agent: 'nobody' });
  expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
  const imported = await call('POST', '/import', { proxyfile, agent: 'visitor', preamble: 'keep' });
  expect(imported.status).toBe(200);
  const [only] = (await call<{ domain: string; agents: string[] }[]>('GET', '/vhosts')).body.filter(
    ({ domain }) => domain === 'http://only.example',
  );
  expect(only?.agents).toEqual(['visitor']);
  expect(fileOf('visitor')).toContain('only.example');
  expect(fileOf('vps')).not.toContain('only.example');
});

test('it gets those that were placed elsewhere, and no other agent loses them', async () => {
  const place = (host: string) =>
    call('POST', '/vhosts', {
      domain: `http://${host}`,
      config: `respond ${host}`,
      agents: ['local'],
    });
  for (const host of ['same.example', 'other.example'])
    expect((await place(host)).status).toBe(201);
  const proxyfile = ['same', 'other']
    .map((name) => `http://${name}.example {\n\trespond same.example\n}\n`)
    .join('\n');
  const json = { proxyfile, agent: 'visitor', preamble: 'keep', taken: 'replace' };
  expect((await call('POST', '/import', json)).status).toBe(200);
  for (const host of ['same.example', 'other.example']) {
    expect(fileOf('visitor')).toContain(host);
    expect((await call('GET', '/proxyfile?agent=local')).text).toContain(host);
    expect(fileOf('vps')).not.toContain(host);
  }
});
