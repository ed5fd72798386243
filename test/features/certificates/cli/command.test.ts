// proof: acme
/** `signalbox certificate`: what it refuses, prints and changes; never a key. */
import { describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_ACME, startAcme } from '../../../harness/acme.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator } from '../../../harness/operator.ts';
import { ask, signUp } from '../../../harness/stack.ts';

const operator = await forFile(createOperator());
/** Keys that no output may have a line of. */
const keys: string[] = [];

async function certificate(args: string[], input?: string) {
  const { code, out, err } = await operator.run(
    ['certificate', ...args],
    input === undefined ? {} : { input },
  );
  const lines = keys.flatMap((key) => key.split('\n').filter((line) => line.length > 40));
  expect(lines.filter((line) => `${out}${err}`.includes(line))).toEqual([]);
  return { code, out, err };
}

/** Writes a pair to `NAME.pem` and `NAME.key`. @returns the options that name the two */
async function pairOf(name: string, hosts: string[], days = 30) {
  const { certificate: chain, key } = await selfSigned(hosts, days * 86_400);
  keys.push(key);
  writeFileSync(join(operator.folder, `${name}.pem`), chain);
  writeFileSync(join(operator.folder, `${name}.key`), key);
  return { chain, key, options: ['--chain', `${name}.pem`, '--key', `${name}.key`] };
}

const dayIn = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().split('T')[0];

const kept = async () =>
  JSON.parse((await operator.run(['api', 'GET', '/certificates/kept'])).out) as object[];
const changes = async () => (await operator.run(['api', 'GET', '/changelog'])).out;

await operator.start();
await operator.run(['site', 'add', 'app.home.example', '--config', '-'], { input: 'respond a\n' });

describe('signalbox certificate', () => {
  test('refuses files that are none, or no pair, and changes nothing', async () => {
    const [own, other] = [await pairOf('own', ['a.example']), await pairOf('other', ['a.example'])];
    const before = await changes();
    const put = (chain: string, key: string, input?: string) =>
      certificate(['put', 'home', '--chain', chain, '--key', key], input);
    for (const [sent, reason] of [
      [put('nowhere', 'own.key'), 'nowhere cannot be read: there is no such file or folder\n'],
      [put('own.pem', '.'), '. cannot be read: it is a folder, not a file\n'],
      [
        put('own.pem', 'other.key'),
        'The key does not belong to this certificate. (INVALID_REQUEST)\n',
      ],
      [put('-', 'own.key', own.key), 'There is a private key in the chain'],
      [put('own.pem', '-', own.chain), 'There is a certificate where the key belongs'],
      [put('own.pem', '-', ''), 'This is no private key in PEM.'],
      [certificate(['put', 'No Name', ...other.options]), 'A name has 1 to 40'],
    ] as const) {
      const { code, out, err } = await sent;
      expect([code, out]).toEqual([1, '']);
      expect(err).toStartWith(`signalbox certificate: ${reason}`);
    }
    expect(await changes()).toBe(before);
    expect(await kept()).toEqual([]);
  });

  test('keeps one, says for what and until when, and the same pair again changes nothing', async () => {
    const { options } = await pairOf('wild', ['*.home.example', 'home.example']);
    const line = `home\t*.home.example,home.example,127.0.0.1\t${dayIn(30)}\tupload\tapp.home.example\n`;
    const made = await certificate(['put', 'home', ...options]);
    expect(made).toEqual({ code: 0, out: line, err: '' });
    const before = await changes();
    expect(await certificate(['put', 'home', ...options])).toEqual(made);
    expect(await changes()).toBe(before);
    expect(await kept()).toMatchObject([{ name: 'home', source: 'upload' }]);
  });

  test('replaces it with a pair of which one comes from standard input', async () => {
    const { key } = await pairOf('next', ['*.home.example'], 60);
    const { code, out } = await certificate(
      ['put', 'home', '--chain', 'next.pem', '--key', '-', '--json'],
      key,
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      id: 1,
      name: 'home',
      names: ['*.home.example', '127.0.0.1'],
      source: 'upload',
      domains: ['app.home.example'],
    });
    const { domains: _, ...listed } = JSON.parse(out);
    expect(await kept()).toMatchObject([{ id: 1, serial: listed.serial }]);
  });
});

describe.skipIf(!HAS_ACME)('a certificate by DNS', () => {
  test('is an upload once a pair was put in its place', async () => {
    const acme = await startAcme();
    // It outlives the authority.
    const roots = join(operator.folder, 'roots.pem');
    copyFileSync(acme.roots, roots);
    const authority = { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: roots };
    const { folder, start, run, close } = createOperator(authority);
    try {
      const { hub } = await start();
      const { headers } = await signUp({ hub });
      const order = { names: ['*.home.example'], email: 'ada@example.org', dns: acme.dns.spec };
      const json = { name: 'home', ...order };
      const made = await ask<{ serial: string }>(`${hub}/certificates/kept`, { json, headers });
      expect(made.status).toBe(201);
      await acme.stop();
      const { certificate: chain, key } = await selfSigned(['*.home.example']);
      writeFileSync(join(folder, 'chain.pem'), chain);
      const put = ['certificate', 'put', 'home', '--chain', 'chain.pem', '--key', '-'];
      const own = await run(put, { input: key });
      expect([own.code, own.err]).toEqual([0, 'home: the hub no longer renews it.\n']);
      expect(own.out).toEndWith('\tupload\t\n');
    } finally {
      await close();
    }
  });
});
