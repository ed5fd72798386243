// proof: agent
import { expect, test } from 'bun:test';
import { appendFileSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { LogFilter } from '../../../../agent/logs/answers/filter.ts';
import { createLogs, type Logs } from '../../../../agent/logs/logs.ts';
import { FULL } from '../../../harness/full.ts';
import { anyLine, anyLines, type Random, random } from '../lines.ts';
import { allEntries, type Keyed, referencePage } from '../reference.ts';
import { keeperOf, temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();

const DOMAINS = ['a.example', 'b.example', '[::1]', '10.0.0.7', 'bücher.example', 'nobody.example'];
const STATUS_FILTERS = [200, 404, 0, 201, 500, 599, 418];

async function expectTruth(r: Random, logs: Logs, file: string): Promise<void> {
  const entries = allEntries(file);
  const whole = await logs.page({ page: 1, pageSize: entries.length + 1 });
  expect(whole.logs).toEqual(entries.map(({ entry }) => entry));
  for (let i = 0; i < 6; i++) {
    const domain = r.chance(0.7) && { domain: r.pick(DOMAINS) };
    const status = r.chance(0.6) && { status: r.pick(STATUS_FILTERS) };
    const filter = { ...domain, ...status, page: 1 + r.below(6), pageSize: 1 + r.below(40) };
    expect(await logs.page(filter)).toEqual(referencePage(entries, filter));
  }
  for (let i = 0; i < 8; i++) {
    const filter = anyFilter(r, entries);
    expect(await logs.page(filter)).toEqual(referencePage(entries, filter));
  }
}

// Conditions of every kind, most of which match some entry.
function anyFilter(r: Random, entries: readonly Keyed[]): LogFilter {
  const one = r.pick(entries)?.entry;
  const time = () => Date.parse(r.pick(entries)?.entry.timestamp ?? '') || 1795212767000;
  return {
    ...(r.chance(0.3) && { domain: r.pick(DOMAINS) }),
    ...(r.chance(0.3) && { statusClass: 1 + r.below(5) }),
    ...(r.chance(0.3) && { method: one?.method || 'POST' }),
    ...(r.chance(0.3) && { path: one?.path.slice(0, 1 + r.below(6)) || '/p' }),
    ...(r.chance(0.3) && { q: one?.path.slice(-1 - r.below(3)) || '7' }),
    ...(r.chance(0.2) && { ip: one?.ip || '10.0.0.9' }),
    ...(r.chance(0.2) && { userAgent: r.pick(['mozilla', '"', 'curly', '\ufffd', 'ünï']) }),
    ...(r.chance(0.4) && { from: time() }),
    ...(r.chance(0.4) && { to: time() + r.below(2000) }),
    page: 1 + r.below(4),
    pageSize: 1 + r.below(40),
  };
}

// What happens to a log; after each round of steps, queries have to give the right answer.
type Step = (r: Random, folder: string, clock: number) => void | Promise<void>;

const STEPS: Readonly<Record<string, Step>> = {
  grow(r, folder, clock) {
    const pieces = anyLines(r, r.below(120), clock);
    appendFileSync(join(folder, 'access.log'), pieces);
  },
  growByHalfALine(r, folder, clock) {
    const cut = anyLine(r, clock);
    appendFileSync(join(folder, 'access.log'), cut.subarray(0, r.below(cut.length + 1)));
  },
  roll(_r, folder, clock) {
    const stamp = new Date(clock * 1000).toISOString().replace('Z', '').replaceAll(':', '-');
    appendFileSync(join(folder, 'access.log'), '');
    renameSync(join(folder, 'access.log'), join(folder, `access-${stamp}.log`));
  },
  compress(r, folder) {
    const names = new Bun.Glob('access-*.log').scanSync(folder);
    for (const name of [...names].sort().slice(0, 1)) {
      const bytes = readFileSync(join(folder, name));
      const [suffix, packed] = r.chance(0.5)
        ? ['.gz', gzipSync(bytes)]
        : ['.zst', zstdCompressSync(bytes)];
      writeFileSync(join(folder, name + suffix), packed);
      if (r.chance(0.8)) unlinkSync(join(folder, name));
    }
  },
  async pack(_r, folder) {
    await keeperOf(join(folder, 'access.log')).run();
  },
  dropOldest(_r, folder) {
    const names = [...new Bun.Glob('access-*').scanSync(folder)].sort();
    if (names.length > 5 && names[0]) unlinkSync(join(folder, names[0]));
  },
  truncate(r, folder, clock) {
    if (r.chance(0.2)) writeFileSync(join(folder, 'access.log'), anyLines(r, 5, clock));
  },
};

test('an answer without time is the newest part of the full one, and gets further with each call', async () => {
  const r = random(99);
  const file = join(newFolder(), 'access.log');
  for (let i = 0; i < 12; i++) appendFileSync(file, anyLines(r, 1000, 1795212767 + i * 10));
  const entries = allEntries(file);
  const logs = createLogs({ file, timeout: 0 });
  for (let round = 0; round < 4; round++) {
    const filter = { ...anyFilter(r, entries), q: String(round), page: 1, pageSize: 500 };
    const truth = referencePage(entries, filter);
    let total = -1;
    for (;;) {
      const { partial, ...answer } = await logs.page(filter);
      expect(answer.logs).toEqual(truth.logs.slice(0, answer.logs.length));
      expect(answer.total).toBeGreaterThanOrEqual(total);
      total = answer.total;
      if (partial) continue;
      expect(answer).toEqual(truth);
      break;
    }
    expect(total).toBe(truth.total);
  }
});

test.each(FULL ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2, 3, 4])(
  'log %d reads as in the reference',
  async (seed) => {
    const r = random(seed);
    const folder = newFolder();
    const file = join(folder, 'access.log');
    let logs = createLogs({ file, timeout: 20_000 });
    let clock = 1795212767;
    for (let i = 0; i < 25; i++) {
      clock += 1 + r.unit();
      const names = Object.keys(STEPS);
      if (r.chance(0.2)) {
        // A restart, which begins with the stored indexes.
        logs.close();
        logs = createLogs({ file, timeout: 20_000 });
      }
      for (let n = 1 + r.below(3); n > 0; n--) await STEPS[r.pick(names)]?.(r, folder, clock++);
      await expectTruth(r, logs, file);
    }
    // An index that is built at once gives the same answers.
    await expectTruth(r, createLogs({ file, timeout: 20_000 }), file);
    logs.close();
  },
);
