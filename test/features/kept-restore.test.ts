/** A backup with a kept certificate, restored on another machine: with its passphrase, with the key, and without. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../harness/certificate.ts';
import { forFile } from '../harness/for-file.ts';
import { presented } from '../harness/lone-agent.ts';
import { createOperator, type Operator, refusal } from '../harness/operator.ts';
import { until } from '../harness/stack.ts';

const NAME = 'app.home.example';
const PASSPHRASE = 'export BACKUP_PASSPHRASE="open sesame"';

let second: Operator;
/** Of Caddy, on both machines. */
const backup = () => join(first.folder, 'kept.db');

async function stop({ program }: Awaited<ReturnType<Operator['start']>>): Promise<void> {
  program.child.kill('SIGTERM');
  await program.exited();
}

const first = await forFile(createOperator());
const started = await first.start();
const pair = await selfSigned(['*.home.example']);
const serial = new X509Certificate(pair.certificate).serialNumber;
const key = pair.key.split('\n')[1] as string;
writeFileSync(join(first.folder, 'chain.pem'), pair.certificate);
const put = ['certificate', 'put', 'home', '--chain', 'chain.pem', '--key', '-'];
expect((await first.run(put, { input: pair.key })).code).toBe(0);
await first.run(['site', 'add', NAME, '--config', '-'], { input: 'respond kept\n' });
await first.run(['site', 'add', 'http://plain.example', '--config', '-'], {
  input: 'respond plain\n',
});
const httpsPort = Number(
  /https_port (\d+)/.exec(readFileSync(join(first.folder, 'data/Caddyfile'), 'utf8'))?.[1],
);
expect(await presented(httpsPort, NAME)).toBe(serial);
const copied = await first.run(['backup', backup()], { before: PASSPHRASE });
expect(copied.code).toBe(0);
expect(readFileSync(backup()).includes(key)).toBe(false);
await stop(started);
beforeEach(() => {
  second = createOperator();
  mkdirSync(join(second.folder, 'data'), { mode: 0o700 });
});
afterEach(() => second.close());

test('with the key, the other machine serves it', async () => {
  copyFileSync(join(first.folder, 'data/secret-key'), join(second.folder, 'data/secret-key'));
  expect((await second.run(['restore', backup()])).code).toBe(0);
  await second.start();
  await until(async () => (await presented(httpsPort, NAME)) === serial, 'the certificate');
});

test('without the key, the other sites are served there, and the status says what to do', async () => {
  expect(await second.run(['restore', backup()])).toEqual(
    refusal('set BACKUP_PASSPHRASE, or use --without-key if it is lost'),
  );
  const restored = await second.run(['restore', backup(), '--without-key']);
  expect(restored.code).toBe(0);
  expect(restored.out).toContain('secret-key is missing: copy it from the machine of the backup');
  const { output } = (await second.start()).program;
  await until(async () => (await first.served('plain.example')) === 'plain', 'the other site');
  const status = await second.run(['status']);
  expect(status.out).toContain('secret-key is missing: restore it from a backup');
  expect(status.out).toContain('delete all kept certificates and add them again');
  expect(await presented(httpsPort, NAME)).not.toBe(serial);
  // A publish closes websockets, and would bring no key.
  const published = () => output.err.split('event="published again"').length;
  const before = published();
  for (const path of ['/vhosts', '/policies', '/certificates/kept']) {
    expect((await second.run(['api', 'GET', path])).code).toBe(0);
  }
  expect(published()).toBe(before);
  // Nothing is lost by a change either.
  const off = await second.run(['site', 'off', 'http://plain.example']);
  expect([off.code, off.err]).toEqual([0, '']);
  expect(
    (await second.run(['api', 'DELETE', '/certificates/kept/1', '-q', 'force=true'])).code,
  ).toBe(0);
  expect((await second.run(['status'])).out).not.toContain('secret-key');
});

test('once the key is put back, it is served', async () => {
  expect((await second.run(['restore', backup(), '--without-key'])).code).toBe(0);
  const started = await second.start();
  await until(async () => (await first.served('plain.example')) === 'plain', 'the other site');
  await stop(started);
  copyFileSync(join(first.folder, 'data/secret-key'), join(second.folder, 'data/secret-key'));
  await second.start();
  await until(async () => (await presented(httpsPort, NAME)) === serial, 'the certificate');
});

test('with its passphrase, it is served from the backup alone; another one is refused', async () => {
  const wrong = { before: 'export BACKUP_PASSPHRASE=sesame' };
  expect(await second.run(['restore', backup()], wrong)).toEqual(
    refusal('the passphrase does not open the key in this backup'),
  );
  const folder = join(second.folder, 'data');
  expect(readdirSync(folder).filter((name) => /secret-key|restoring|\.db$/.test(name))).toEqual([]);
  expect((await second.run(['restore', backup()], { before: PASSPHRASE })).code).toBe(0);
  const kept = (at: Operator) => join(at.folder, 'data/secret-key');
  expect(readFileSync(kept(second), 'utf8')).toBe(readFileSync(kept(first), 'utf8'));
  expect(statSync(kept(second)).mode & 0o777).toBe(0o600);
  // Its place in the file is overwritten.
  const restored = readFileSync(join(folder, 'signalbox.db'));
  expect(restored.includes(readFileSync(kept(first), 'utf8').trim())).toBe(false);
  await second.start();
  await until(async () => (await presented(httpsPort, NAME)) === serial, 'the certificate');
});
