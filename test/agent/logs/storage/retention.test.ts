import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '../../../../agent/logs/storage/keeper.ts';
import { createKeeper } from '../../../../agent/logs/storage/keeper.ts';
import { PACE } from '../../../../agent/pace.ts';
import { fill, mayMount, mountSmall, unmount } from '../../../harness/mount.ts';
import { lines, ROLL, temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();
const NONE: Limits = { keep: null, days: null, megabytes: null };
const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const name = (day: number) => `access-2026-11-${10 + day}T00-00-00.000.log`;

/** Rolled segments of a MiB each in every form, rolled at noon; and a live one of half a MiB. */
function history(days: readonly number[]) {
  const folder = newFolder();
  writeFileSync(join(folder, 'access.log'), Buffer.alloc(1 << 19, ' '));
  const suffixes = ['.gz', '.zst', '.zst'];
  for (const [i, day] of days.entries()) {
    const path = join(folder, name(day) + suffixes[i % 3]);
    writeFileSync(path, Buffer.alloc(1 << 20));
    const rolled = NOW / 1000 - (11 - day) * 86_400;
    utimesSync(path, rolled, rolled);
    writeFileSync(join(folder, `${name(day)}.index`), 'an index');
  }
  let [now, isFull] = [NOW, false];
  const logged: string[] = [];
  const keeper = (limits: Partial<Limits>, full = async () => isFull) =>
    createKeeper({
      pace: PACE.keeper,
      file: join(folder, 'access.log'),
      limits: { ...NONE, ...limits },
      log: (event) => void logged.push(event),
      now: () => now,
      isFull: full,
    });
  /** The days of the segments that are left. */
  const left = () =>
    readdirSync(folder)
      .filter((each) => /\.(gz|zst)$/.test(each))
      .map((each) => Number(each.slice(15, 17)) - 10)
      .sort((a, b) => a - b);
  const indexes = () => readdirSync(folder).filter((each) => each.endsWith('.index')).length;
  const pass = (ms: number) => {
    now += ms;
  };
  return { keeper, left, indexes, logged, pass, fill: () => (isFull = true) };
}

const GRACE_MS = 600_000;

describe('what is not deleted', () => {
  test('anything, without a limit', async () => {
    const { keeper, left, logged } = history([1, 2, 3, 4]);
    const one = keeper({});
    await one.run();
    await one.run();
    expect(left()).toEqual([1, 2, 3, 4]);
    expect(one.warnings()).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('anything before it was shown for ten minutes', async () => {
    const { keeper, left, logged, pass } = history([1, 2, 3, 4]);
    const one = keeper({ keep: 1 });
    await one.run();
    pass(GRACE_MS - 1);
    await one.run();
    expect(left()).toEqual([1, 2, 3, 4]);
    expect(logged).toEqual(['rotated access logs will be deleted']);
    expect(one.warnings()).toEqual([
      expect.stringMatching(/^3 rotated access logs \(3 MiB\) .* at 2026-11-21T12:10:00.000Z\.$/),
    ]);
  });

  test('files that only look like segments', async () => {
    const { keeper, left, pass } = history([1]);
    const one = keeper({ keep: 1, days: 1000, megabytes: 1000 });
    await one.run();
    pass(GRACE_MS);
    await one.run();
    expect(left()).toEqual([1]);
  });
});

describe('what is deleted', () => {
  test.each<[string, Partial<Limits>, number[]]>([
    ['all but a number', { keep: 2 }, [4, 5]],
    ['what is older than some days', { days: 7.5 }, [4, 5]],
    ['what is beyond a size, the oldest first', { megabytes: 4 }, [3, 4, 5]],
    ['what is beyond any limit', { keep: 4, days: 8.5, megabytes: 3 }, [4, 5]],
  ])('%s, with its index', async (_, limits, expected) => {
    const { keeper, left, indexes, pass } = history([1, 2, 3, 4, 5]);
    const one = keeper(limits);
    await one.run();
    pass(GRACE_MS);
    await one.run();
    expect(left()).toEqual(expected);
    expect(indexes()).toBe(expected.length);
    expect(one.warnings()).toEqual([]);
  });

  test('what expires later goes at once', async () => {
    const { keeper, left, pass } = history([5, 6]);
    const one = keeper({ days: 7 });
    await one.run();
    pass(1.5 * DAY_MS);
    await one.run();
    expect(left()).toEqual([6]);
  });
});

test('a full disk takes the oldest packed segments, one by one, and the status says so', async () => {
  const { keeper, left, logged } = history([1, 2, 3, 4, 5]);
  // A stand-in for a disk: there is enough room once two segments are gone.
  const one = keeper({}, async () => left().length > 3);
  await one.run();
  expect(left()).toEqual([3, 4, 5]);
  expect(one.warnings()).toEqual([expect.stringContaining('2 rotated access logs were deleted')]);
  expect(logged).toEqual(Array(2).fill('rotated access log deleted, the disk is nearly full'));
});

test('a full disk on which nothing can be deleted is a warning', async () => {
  const { keeper, fill, left } = history([]);
  fill();
  const one = keeper({});
  await one.run();
  expect(left()).toEqual([]);
  expect(one.warnings()).toEqual([expect.stringContaining('nearly full')]);
});

describe.skipIf(!mayMount)('a small disk', () => {
  const older = ROLL.replace('T22', 'T21');
  let folder = '';
  let release = () => {};
  const logged: string[] = [];
  beforeEach(() => {
    folder = newFolder();
    mountSmall(folder, 'size=64m');
    logged.length = 0;
  });
  afterEach(() => {
    unmount(folder);
  });

  const files = () =>
    readdirSync(folder)
      .filter((each) => each.startsWith('access-') && !each.endsWith('.index'))
      .sort();
  /** A rolled file that needs more than a page when it is packed. */
  const roll = (name: string) => {
    const random = () => crypto.randomUUID().repeat(20);
    writeFileSync(join(folder, name), lines(...Array.from({ length: 300 }, () => `/${random()}`)));
  };
  const keeperWith = (more = {}) =>
    createKeeper({
      pace: PACE.keeper,
      file: join(folder, 'access.log'),
      limits: NONE,
      log: (event) => void logged.push(event),
      ...more,
    });

  test('keeps its packed files as long as a share of it is free', async () => {
    for (const name of [ROLL, older]) roll(name);
    const keeper = keeperWith();
    await keeper.run();
    await keeper.run();
    expect(files()).toEqual([`${older}.zst`, `${ROLL}.zst`]);
    release = fill(folder, 1 << 20);
    await keeper.run();
    expect(files()).toEqual([]);
    release();
  });

  test('that was full for a while has its files packed as soon as there is room', async () => {
    for (const name of [ROLL, older]) roll(name);
    release = fill(folder);
    const keeper = keeperWith({ isFull: async () => false });
    for (let round = 0; round < 3; round++) await keeper.run();
    expect(files()).toEqual([older, ROLL]);
    expect(logged).toEqual(['rotated access log not packed']);
    release();
    for (let round = 0; round < 3; round++) await keeper.run();
    expect(files()).toEqual([`${older}.zst`, `${ROLL}.zst`]);
  });

  test('without room to pack loses the oldest files, not the newest entries', async () => {
    for (const name of [ROLL, older]) roll(name);
    release = fill(folder);
    // A stand-in for the size that is needed: one file less is enough.
    const keeper = keeperWith({ isFull: async () => files().length > 1 });
    await keeper.run();
    expect(files()).toEqual([older, ROLL]);
    await keeper.run();
    expect(files()).not.toContain(older);
    expect(files().length).toBe(1);
    expect(keeper.warnings()).toEqual([
      expect.stringContaining('1 rotated access logs were deleted'),
    ]);
    release();
  });
});
