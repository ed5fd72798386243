import { expect, test } from 'bun:test';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLogs } from '../../../../agent/logs/logs.ts';
import { folderForFile } from '../../../harness/for-file.ts';

const folder = folderForFile();

const LINE = '{"ts":1.5,"request":{"host":"a.example","method":"GET","uri":"/"},"status":200}\n';

test('the first indexing reports its progress in bytes as stored, later ones report nothing', async () => {
  const file = join(folder, 'access.log');
  const rolled = join(folder, 'access-2026-01-01T00-00-00.000.log.gz');
  writeFileSync(file, LINE.repeat(20_000));
  writeFileSync(rolled, gzipSync(LINE.repeat(10_000)));
  const plain = statSync(file).size;
  const all = plain + statSync(rolled).size;
  const reports: [number, number][] = [];
  const logs = createLogs({ file, onIndexing: (done, total) => reports.push([done, total]) });
  await logs.warm();
  const done = reports.map(([bytes]) => bytes);
  // Chunk by chunk, then the compressed file as a whole.
  expect(done.length).toBeGreaterThan(4);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.slice(-2)).toEqual([plain, all]);
  expect(new Set(reports.map(([, total]) => total))).toEqual(new Set([all]));
  reports.length = 0;
  appendFileSync(file, LINE.repeat(20_000));
  await logs.warm();
  const { total } = await logs.page({ page: 1, pageSize: 1 });
  expect([total, reports]).toEqual([50_000, []]);
  logs.close();
});

test('warm resolves even if nothing can be indexed', async () => {
  const reports: number[] = [];
  const logs = createLogs({
    file: join(folder, 'none/access.log'),
    onIndexing: (done) => reports.push(done),
  });
  await logs.warm();
  logs.close();
  await logs.warm();
  expect(reports).toEqual([]);
});
