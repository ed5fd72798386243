/** Which program Caddy is run from: that of PROXY_BIN, or the copy of the one before. */
import { beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  createKeptProgram,
  type KeptProgram,
} from '../../../../agent/caddy/process/kept-program.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

let folder: string;
let bin: string;
let kept: KeptProgram;
beforeEach(() => {
  folder = temporaryFolder();
  bin = join(folder, 'bin');
  place('A');
  kept = open();
});

const open = () => createKeptProgram(folder, bin);
const sumOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
const runs = () => readFileSync(kept.bin(), 'utf8');

/** As a package manager does. */
function place(text: string): void {
  writeFileSync(`${bin}.new`, text, { mode: 0o755 });
  renameSync(`${bin}.new`, bin);
}

/** Starts Caddy, which answers. */
async function start(hasEnded = false): Promise<string> {
  await kept.choose(hasEnded);
  kept.started(kept.bin());
  return runs();
}

async function keep(): Promise<void> {
  const running = await kept.running(process.pid);
  if (!running) throw new Error('nothing runs');
  await kept.keep(running);
}

test('without a copy, it is whatever is at PROXY_BIN', async () => {
  expect(await start()).toBe('A');
  place('B');
  expect([await start(true), kept.kept(), kept.takeFailed()]).toEqual(['B', null, null]);
});

test('once it is kept, another one at PROXY_BIN runs only if it is wanted, also for the next agent', async () => {
  await start();
  await keep();
  const copy = join(folder, 'programs', `caddy-${sumOf('A')}`);
  expect([kept.bin(), statSync(copy).mode & 0o777]).toEqual([bin, 0o755]);
  place('B');
  expect(await start()).toBe('A');
  kept = open();
  expect([await start(), kept.bin(), kept.kept()]).toEqual(['A', copy, sumOf('A')]);
  kept.want(sumOf('B'));
  expect(await start()).toBe('B');
  place('C');
  expect(await start()).toBe('A');
});

test('one that ends before it is kept makes room for the one before, which is said once', async () => {
  await start();
  await keep();
  place('B');
  kept.want(sumOf('B'));
  expect(await start()).toBe('B');
  expect(await start(true)).toBe('A');
  expect([kept.takeFailed(), kept.takeFailed()]).toEqual([sumOf('B'), null]);
  kept.want(sumOf('B'));
  await start();
  await keep();
  expect([await start(true), kept.takeFailed()]).toEqual(['B', null]);
  expect(readdirSync(join(folder, 'programs'))).toEqual([`caddy-${sumOf('B')}`]);
});

test('a copy that does not start makes room for PROXY_BIN, and the other way round', async () => {
  await start();
  await keep();
  place('B');
  const tries: string[] = [];
  for (let count = 0; count < 3; count++) {
    await kept.choose(false);
    kept.notStarted();
    tries.push(runs());
  }
  expect(tries).toEqual(['A', 'B', 'A']);
  rmSync(bin);
  expect([await start(), await start()]).toEqual(['A', 'A']);
});

test('one that cannot be copied, or has become another one, leaves the copy of the one before', async () => {
  await start();
  await keep();
  place('B');
  kept.want(sumOf('B'));
  await start();
  const running = await kept.running(process.pid);
  if (!running) throw new Error('nothing runs');
  writeFileSync(bin, 'b');
  await expect(kept.keep(running)).rejects.toThrow('has changed');
  rmSync(join(folder, 'programs/part'));
  // As on a full disk.
  mkdirSync(join(folder, 'programs/part'));
  await expect(kept.keep({ file: bin, sum: sumOf('b') })).rejects.toThrow();
  expect([kept.kept(), existsSync(join(folder, 'programs', `caddy-${sumOf('A')}`))]).toEqual([
    sumOf('A'),
    true,
  ]);
});
