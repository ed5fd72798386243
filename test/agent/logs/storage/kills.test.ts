// proof: chaos
import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogs } from '../../../../agent/logs/logs.ts';
import { PACE } from '../../../../agent/pace.ts';
import { some } from '../../../harness/full.ts';
import { until } from '../../../harness/stack.ts';
import { anyLines, random } from '../lines.ts';
import { allEntries } from '../reference.ts';
import { keeperOf, temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();
const KEEPER = join(import.meta.dir, '../../../../agent/logs/storage/keeper.ts');

/** A page of a log that was just opened; on a busy machine the first answers are of what was read by then. */
async function wholePage(file: string, pageSize: number) {
  const logs = createLogs({ file });
  const page = await until(async () => {
    const found = await logs.page({ page: 1, pageSize });
    return !found.partial && found;
  }, 'the whole log');
  logs.close();
  return page;
}

/** A program that looks after a log until it is killed, and says when it begins. */
const program = (file: string) => `
  const { createKeeper } = await import(${JSON.stringify(KEEPER)});
  const limits = { keep: null, days: null, megabytes: null };
  const keeper = createKeeper({ file: ${JSON.stringify(file)}, limits, pace: ${JSON.stringify(PACE.keeper)}, log: () => {} });
  process.stdout.write('begun');
  await keeper.run();
`;

const SEGMENTS = some(6, 9);
const LINES = some(1000, 2500);

test('a packer that is killed at any instant loses and doubles nothing', async () => {
  const r = random(3);
  const folder = newFolder();
  const file = join(folder, 'access.log');
  for (let i = 0; i < SEGMENTS; i++) {
    writeFileSync(join(folder, `access-2026-11-20T22-17-0${i}.468.log`), anyLines(r, LINES, i));
  }
  const truth = allEntries(file).map(({ entry }) => entry);
  const left = () => readdirSync(folder).filter((name) => !/\.log\.(zst|index)$/.test(name)).length;
  let kills = 0;
  // Longer lives until one is long enough to get anywhere, whatever else the machine does.
  for (let life = 15, before = left(); before > 0; kills++) {
    const child = Bun.spawn([process.execPath, '-e', program(file)], { stdout: 'pipe' });
    await child.stdout.getReader().read();
    await Bun.sleep(r.below(life));
    child.kill('SIGKILL');
    await child.exited;
    expect(allEntries(file).map(({ entry }) => entry)).toEqual(truth);
    expect((await wholePage(file, 1)).total).toBe(truth.length);
    const after = left();
    if (after === before) life *= 1.2;
    before = after;
  }
  expect(kills).toBeGreaterThan(2);
  await keeperOf(file).run();
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect((await wholePage(file, truth.length + 1)).logs).toEqual(truth);
});
