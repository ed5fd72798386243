/** What others send or print is read within limits, and only the fields that they named. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { describe as describeProgram, modulesOf } from '../../agent/caddy/process/program.ts';
import { comparable } from '../../src/hub/recipes/networks.ts';
import { textUpTo } from '../../src/shared/bounded.ts';
import { readJson } from '../../src/shared/json-body.ts';

const ENDLESS = { bin: '/usr/bin/yes', prefix: [], env: { PATH: '/usr/bin:/bin' } };

test('a program that prints without end is no Caddy, and is ended', async () => {
  expect(await modulesOf(ENDLESS)).toBeNull();
  expect(await describeProgram(ENDLESS)).toBeNull();
});

test('of what a program prints without end, little is in memory', async () => {
  // Of its own: this process also has what other tests have left.
  const program = `
    import { modulesOf } from '${join(import.meta.dir, '../../agent/caddy/process/program.ts')}';
    const before = process.memoryUsage.rss();
    await modulesOf(${JSON.stringify(ENDLESS)});
    console.log(process.memoryUsage.rss() - before);`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' });
  const grown = Number(await child.stdout.text());
  expect(grown).toBeGreaterThan(0);
  expect(grown).toBeLessThan(200 * 1024 * 1024);
});

test('a stream is text up to its limit, and nothing beyond', async () => {
  const stream = () => new Blob(['abc', 'def']).stream();
  expect(await textUpTo(stream(), 6)).toBe('abcdef');
  expect(await textUpTo(stream(), 5)).toBeNull();
});

test('what a body names __proto__, however it is written, is no field of it', async () => {
  for (const name of ['__proto__', '\\u005f_proto__']) {
    const body = `{"${name}":{"config":"respond 1"},"inner":{"a":1},"domain":"a"}`;
    const read = await readJson(new Request('http://a', { method: 'POST', body }), 1_000);
    expect(Object.keys(read)).toEqual(['inner', 'domain']);
    expect(read).not.toHaveProperty('config');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  }
});

test.each([
  ['::127.0.0.1', '127.0.0.1'],
  ['::7f00:1', '127.0.0.1'],
  ['::ffff:7f00:1', '127.0.0.1'],
  ['::192.168.1.0/120', '192.168.1.0/24'],
  ['::1', '::1'],
  ['::/0', '::/0'],
])('the network %s is compared as %s', (network, compared) => {
  expect(comparable(network)).toBe(compared);
});
