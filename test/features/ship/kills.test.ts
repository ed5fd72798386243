/** Agent and log engine are killed at any moment, while the log grows, is rolled and is packed. */
import { expect, test } from 'bun:test';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { random } from '../../agent/logs/lines.ts';
import { uniqueLine } from '../../agent/logs/tail/tailing.ts';
import { keeperOf, temporaryFolders } from '../../agent/logs/temp.ts';
import { some } from '../../harness/full.ts';
import { limit } from '../../harness/speed.ts';
import { freePort, until } from '../../harness/stack.ts';

const newFolder = temporaryFolders();
/** SHIP_KILLS=1000 for a long run. */
const KILLS = some(12, 30, 'SHIP_KILLS');
const path = (name: string) => JSON.stringify(join(import.meta.dir, name));

const shipperProgram = (file: string, port: number) => `
  const { createShipper } = await import(${path('../../../agent/features/ship/shipper.ts')});
  const engine = { url: 'http://127.0.0.1:${port}/', format: 'ndjson', headersFile: null };
  createShipper(
    { accessLog: ${JSON.stringify(file)}, log: () => {}, warn: () => {} },
    { engine, placeFile: ${JSON.stringify(`${file}.place`)} },
    { batch: 0, rest: 0, retry: 1, longestRetry: 4, away: 300_000 },
  ).begin();
  process.stdout.write('begun');
`;

/** The stand-in for an engine: appends a batch to a file, and answers if it is still alive then. */
const engineProgram = (store: string, port: number) => `
  const { appendFileSync } = await import('node:fs');
  const { readBatch } = await import(${path('engine.ts')});
  Bun.serve({
    hostname: '127.0.0.1',
    port: ${port},
    async fetch(request) {
      const { lines } = await readBatch(request);
      const numbers = lines.map((line) => JSON.parse(line).request.uri.slice(1));
      appendFileSync(${JSON.stringify(store)}, numbers.join(' ') + '\\n');
      return new Response(null, { status: 204 });
    },
  });
  process.stdout.write('begun');
`;

async function start(program: string) {
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' });
  await child.stdout.getReader().read();
  return child;
}

test(
  `${KILLS} kills lose nothing, and repeat a batch only if its answer was lost`,
  async () => {
    const r = random(7);
    const folder = newFolder();
    const file = join(folder, 'access.log');
    const store = join(folder, 'store');
    const port = freePort();
    const programs = [shipperProgram(file, port), engineProgram(store, port)] as const;
    writeFileSync(store, '');
    writeFileSync(file, '');
    const running = [await start(programs[0]), await start(programs[1])];
    await until(() => existsSync(`${file}.place`));
    let written = 0;
    const write = () => appendFileSync(file, `${uniqueLine(`/${written++}`)}\n`);
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = r.below(2);
      const step = r.below(20);
      // Anywhere in the way of a batch.
      const end = performance.now() + r.unit() * 40;
      while (performance.now() < end) {
        write();
        await Bun.sleep(1);
      }
      running[victim]?.kill('SIGKILL');
      await running[victim]?.exited;
      write();
      if (step < 5) {
        renameSync(file, join(folder, `access-2026-11-20T22-17-03.${100 + (kill % 900)}.log`));
        writeFileSync(file, '');
      }
      if (step < 10) await keeperOf(file).run();
      running[victim] = await start(programs[victim === 0 ? 0 : 1]);
    }
    write();
    const batches = () =>
      readFileSync(store, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((text) => text.split(' ').map(Number));
    await until(() => batches().at(-1)?.at(-1) === written - 1, 'the last line');
    for (const child of running) child.kill('SIGKILL');
    let [next, previous, repeated] = [0, 0, 0];
    for (const batch of batches()) {
      const [first = Number.NaN] = batch;
      expect(batch).toEqual(batch.map((_, i) => first + i));
      if (first !== next) repeated++;
      expect([next, previous]).toContain(first);
      previous = first;
      next = first + batch.length;
    }
    expect(next).toBe(written);
    expect(repeated).toBeLessThanOrEqual(KILLS);
    console.log(
      `${KILLS} kills, ${written} lines, ${batches().length} batches, ${repeated} repeated`,
    );
  },
  limit(3_600_000),
);
