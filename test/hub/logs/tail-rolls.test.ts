// proof: hub
/** A live tail while Caddy rolls its log. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { readEvents } from '../../harness/events.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';

const owner = await forFile(startOwner({ ACCESS_LOG_ROLL_MB: '1', ACCESS_LOG_KEEP: '20' }));
const COUNT = 600;

async function tail(after = '') {
  const headers = { ...owner.headers, ...(after && { 'Last-Event-ID': after }) };
  const url = `${owner.stack.hub}/logs/tail?domain=two.example`;
  return readEvents((await fetch(url, { headers })).body);
}

test('loses and repeats nothing while Caddy rolls the log and readers reconnect', async () => {
  await owner.create('two', 'respond here');
  await owner.served('two');
  const filler = 'x'.repeat(5000);
  const events = await tail();
  await events.begun();
  let returning = await tail();
  await returning.begun();
  const driven = (async () => {
    for (let i = 0; i < COUNT; i += 25) {
      const some = Array.from({ length: 25 }, (_, n) => i + n);
      await Promise.all(some.map((n) => owner.stack.served('two.example', `/${n}/${filler}`)));
    }
  })();
  const numberOf = (event: { data?: string } | undefined) =>
    Number(JSON.parse(event?.data ?? '{}').path.split('/')[1]);
  const seen: number[] = [];
  const seenByReturning: number[] = [];
  while (seen.length < COUNT) seen.push(numberOf(await events.of('entry')));
  while (seenByReturning.length < COUNT) {
    const event = await returning.of('entry');
    seenByReturning.push(numberOf(event));
    if (seenByReturning.length % 200 !== 0) continue;
    await returning.close();
    returning = await tail(event?.id ?? '');
  }
  await driven;
  expect(new Set(seen).size).toBe(COUNT);
  expect(seenByReturning).toEqual(seen);
  const names = readdirSync(dirname(owner.stack.accessLog));
  expect(names.filter((name) => /^access-.*\.log(\.zst)?$/.test(name)).length).toBeGreaterThan(1);
  await events.close();
  await returning.close();
});
