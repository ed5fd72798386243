/** Which program of Caddy runs and which ones are kept, also when something fails halfway. */
import { beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createKeptPrograms,
  type KeptPrograms,
} from '../../../../agent/caddy/programs/kept-programs.ts';
import { createProbation } from '../../../../agent/caddy/programs/probation.ts';
import { createProxyfile } from '../../../../agent/caddy/reload/proxyfile.ts';
import type { Log } from '../../../../src/shared/log.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';

const [A, B, C, D] = [...'abcd'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
];
const NOW = new Date('2026-11-25T20:00:00.000Z');
const YEAR_MS = 365 * 86_400_000;

let folder: string;
let kept: KeptPrograms;
beforeEach(() => {
  folder = temporaryFolder();
  kept = open();
  for (const sum of [A, B, C, D]) take(sum);
});

const open = () =>
  createKeptPrograms(
    folder,
    '/bin/true',
    () => NOW,
    () => {},
  );

const probationOf = (log: Log = () => {}) =>
  createProbation({
    kept,
    longest: 20,
    now: () => NOW,
    commands: { prefix: [], env: {} },
    proxyfile: createProxyfile(join(folder, 'Caddyfile'), () => NOW),
    alone: (run) => run(),
    warnings: { set() {} },
    log,
  });

function take(sum: string): void {
  const file = kept.makeRoom();
  writeFileSync(file, sum);
  kept.keep(file, sum);
  rmSync(join(file, '..'), { recursive: true });
}

const use = (sum: string | null, until = NOW) =>
  kept.use(sum, { former: 'before', digest: 'digest', until });
const sums = (of = kept) => [of.current(), ...of.previous()].map(({ sum }) => sum);
const onDisk = () =>
  readdirSync(join(folder, 'programs'))
    .filter((name) => !name.includes('.'))
    .sort();

test('one that is not used in the end leaves those that were kept, also to an agent that is started again', () => {
  for (const sum of [A, B, A]) {
    use(sum);
    kept.confirm();
  }
  expect(sums()).toEqual([A, B, null]);
  for (const [sum, left] of [
    [C, [A, B, C]],
    [B, [A, B]],
  ] as const) {
    use(sum);
    kept.prune();
    expect(onDisk()).toEqual([...left]);
    expect(kept.goBack()).toBe('before');
    expect([sums(), sums(open()), kept.probation()]).toEqual([[A, B, null], [A, B, null], null]);
  }
});

test('one that cannot be written down is not used', () => {
  use(A);
  kept.confirm();
  // As on a full disk.
  mkdirSync(join(folder, 'programs/programs.json.part'));
  expect(() => use(B)).toThrow();
  expect([sums(), sums(open())]).toEqual([
    [A, null],
    [A, null],
  ]);
});

test('one that is about to be used is not deleted', () => {
  use(A);
  kept.hold(B);
  kept.prune();
  expect(onDisk()).toEqual([A, B]);
  kept.hold(null);
  kept.prune();
  expect(onDisk()).toEqual([A]);
});

test('a probation ends, although the clock was set back, once that can be written down', async () => {
  use(A, new Date(NOW.getTime() + YEAR_MS));
  // As on a full disk, once.
  mkdirSync(join(folder, 'programs/programs.json.part'));
  probationOf().begin();
  await until(() => kept.probation() === null);
});

test('a program that ends off probation stays, and nothing is said of it', async () => {
  use(A);
  kept.confirm();
  use(B);
  kept.confirm();
  const events: string[] = [];
  const probation = probationOf((event) => events.push(event));
  await probation.comeBack();
  expect([sums(), events]).toEqual([[B, A, null], []]);
});
