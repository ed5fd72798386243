/** What the hub says of a damaged file of the access log: in its answers, and in its status. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { lines, ROLL } from '../../agent/logs/temp.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

type Page = { total: number; partial?: boolean; logs: { path: string }[] };
type Status = { problems: { code: string; level: string; message: string }[] };

const COUNT = 2_000;
const NAME = `${ROLL}.zst`;

const owner = await forFile(startOwner());

const read = async <T>(path: string) => (await owner.call<T>('GET', path)).body;
const problems = async () =>
  (await read<Status>('/status')).problems.filter(({ message }) => message.includes('damaged'));

test('answers lack its entries and say so, and the status names it until it is gone', async () => {
  await owner.create('one');
  await owner.served('one');
  await until(async () => (await read<Page>('/logs')).total > 0, 'an entry');
  const whole = await read<Page>('/logs');
  expect(whole.partial).toBeUndefined();
  expect(await problems()).toEqual([]);

  const packed = zstdCompressSync(lines(...Array.from({ length: COUNT }, (_, at) => `/${at}`)));
  packed.fill(0x55, packed.length >> 1, (packed.length >> 1) + 40);
  const folder = dirname(owner.stack.accessLog);
  writeFileSync(join(folder, NAME), packed);
  for (const path of ['/logs', '/logs/stats', '/logs?domain=one.example']) {
    const found = await until(async () => {
      const body = await read<Page>(path);
      return body.partial === true && body;
    }, `${path} to say that it lacks something`);
    if (path === '/logs') expect(found.total).toBeLessThan(COUNT + whole.total);
  }
  const [problem, ...others] = await until(async () => {
    const found = await problems();
    return found.length > 0 && found;
  }, 'the problem');
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ code: 'WARNING', level: 'warn' });
  expect(problem?.message).toContain(NAME);
  expect(problem?.message).not.toContain(folder);

  rmSync(join(folder, NAME));
  await until(async () => (await read<Page>('/logs')).partial === undefined, 'a whole answer');
  await until(async () => (await problems()).length === 0, 'the end of the problem');
});
