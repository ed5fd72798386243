import { expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parseConditions } from '../../../agent/logs/answers/filter.ts';
import { readMergedPage } from '../../../src/hub/logs/merged-page.ts';
import type { LogEntry, LogQuery } from '../../../src/shared/wire/logs.ts';
import { anyLine, line, type Random, random } from '../../agent/logs/lines.ts';
import { allEntries, isWanted, type Keyed } from '../../agent/logs/reference.ts';
import { keeperOf } from '../../agent/logs/temp.ts';
import { FULL, some } from '../../harness/full.ts';
import type { LogAgent } from '../../harness/log-agents.ts';
import { temporaryAgents } from './temporary-agents.ts';

const START = 1795212767;
const NAMES = ['twin', 'local', 'vps-2', 'a'];

const QUERIES = some(10, 30);

const newAgents = temporaryAgents();

/** Lines around a time: in order, jumbled, thousands in a millisecond, without a time. */
function someLines(r: Random, time: number): Buffer {
  const at = (changes: object) =>
    Buffer.from(line({ ...changes, status: r.pick([200, 404, 500]) }));
  const makers: (() => Buffer)[] = [
    () => anyLine(r, time + r.unit() * 5),
    () => anyLine(r, time - r.below(100_000)),
    () => at({ ts: time, request: { uri: `/p/${r.below(1000)}` } }),
    () => at({ ts: r.pick(['never', '', null]), request: { uri: `/p/${r.below(1000)}` } }),
  ];
  const make = r.pick([makers[0], makers[0], makers[0], makers[1], makers[2], makers[3]]);
  const count = make === makers[2] ? r.below(1500) : r.below(make === makers[3] ? 40 : 800);
  const pieces: Buffer[] = [];
  for (let i = 0; i < count; i++) pieces.push(make?.() ?? Buffer.alloc(0), Buffer.from('\n'));
  return Buffer.concat(pieces);
}

async function writeHistory(r: Random, file: string): Promise<void> {
  const rolls = r.below(4);
  for (let n = 0; n < rolls; n++) {
    const path = join(dirname(file), `access-2026-11-20T22-17-03.10${n}.log`);
    const text = Buffer.concat([someLines(r, START + n * 20), someLines(r, START + n * 20 + 10)]);
    // Packed by another program.
    const form = n === 0 ? r.pick(['', '.gz', '.zst']) : '';
    const pack = { '': (plain: Buffer) => plain, '.gz': gzipSync, '.zst': zstdCompressSync }[form];
    writeFileSync(path + form, pack?.(text) ?? '');
    if (r.chance(0.3)) await keeperOf(file).run();
  }
  for (let n = 0; n < 3; n++) appendFileSync(file, someLines(r, START + rolls * 20 + n));
}

/** All entries, by putting the logs one after the other and sorting them. */
function sorted(agents: readonly LogAgent[]): Keyed[] {
  const all = agents
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ file, name }) =>
      allEntries(file).map((one) => ({ ...one, entry: { ...one.entry, agent: name } })),
    );
  const timeOf = ({ timestamp }: LogEntry) => (timestamp === '' ? -1e16 : Date.parse(timestamp));
  return all.sort((a, b) => timeOf(b.entry) - timeOf(a.entry));
}

function anyQuery(r: Random, entries: readonly Keyed[]): LogQuery {
  const one = r.pick(entries)?.entry;
  const time = () => r.pick(entries)?.entry.timestamp || '2026-11-20';
  return {
    ...(r.chance(0.2) && { domain: r.pick(['a.example', 'b.example', 'bücher.example', 'no']) }),
    ...(r.chance(0.2) && { status: r.pick(['200', '4xx', '500']) }),
    ...(r.chance(0.1) && { method: 'get' }),
    ...(r.chance(0.2) && { path: one?.path.slice(0, 1 + r.below(4)) || '/p' }),
    ...(r.chance(0.1) && { q: '7' }),
    ...(r.chance(0.1) && { userAgent: 'Mozilla' }),
    ...(r.chance(0.1) && { ip: one?.ip || '10.0.0.9' }),
    ...(r.chance(0.2) && { from: time() }),
    ...(r.chance(0.2) && { to: time() }),
  };
}

test.each(FULL ? [1, 2, 3, 4] : [1, 2])(
  'merge %d is what sorting all entries gives',
  async (seed) => {
    const r = random(seed);
    const some = newAgents(...NAMES.slice(0, 2 + r.below(3)));
    for (const { file } of some) await writeHistory(r, file);
    let all = sorted(some);
    for (let i = 0; i < QUERIES; i++) {
      if (i % 10 === 9) {
        appendFileSync(r.pick(some).file, someLines(r, START + 90 + i));
        all = sorted(some);
      }
      const query = i < 5 ? {} : anyQuery(r, all);
      const filter = parseConditions(query);
      const found = all.filter((one) => isWanted(one, filter)).map(({ entry }) => entry);
      const pageSize = 1 + r.below(r.pick([3, 50, 500]));
      const page = 1 + r.below(r.pick([2, Math.ceil(found.length / pageSize) + 1]));
      const answer = await readMergedPage(some, {
        ...query,
        page: String(page),
        pageSize: String(pageSize),
      });
      const logs = found.slice((page - 1) * pageSize, page * pageSize);
      expect(answer).toEqual({ logs, total: found.length, page, pageSize });
    }
  },
);
