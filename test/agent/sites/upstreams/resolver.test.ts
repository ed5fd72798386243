import { expect, test } from 'bun:test';
import { PACE } from '../../../../agent/pace.ts';
import { createResolver } from '../../../../agent/sites/upstreams/resolver.ts';

/** A resolver whose names are counted, and whose clock is set by hand. */
function begin(find: (host: string) => Promise<string[]>) {
  let time = 0;
  const asked: string[] = [];
  const count = (host: string) => {
    asked.push(host);
    return find(host);
  };
  const { resolve } = createResolver(() => time, PACE.names, count);
  return { resolve, asked, pass: (milliseconds: number) => (time += milliseconds) };
}

test('a name that is not found has no addresses, and is asked for again soon', async () => {
  const { resolve, asked, pass } = begin(() => Promise.reject(new Error('ENOTFOUND')));
  expect([await resolve('a'), await resolve('a')]).toEqual([[], []]);
  expect(asked).toEqual(['a']);
  pass(15_001);
  await resolve('a');
  expect(asked).toEqual(['a', 'a']);
});

test('a name is asked for once a minute, by however many', async () => {
  const { resolve, asked, pass } = begin(async () => ['127.0.0.1']);
  const all = await Promise.all(Array.from({ length: 100 }, () => resolve('a')));
  expect(new Set(all.flat())).toEqual(new Set(['127.0.0.1']));
  pass(59_000);
  await resolve('a');
  expect(asked).toEqual(['a']);
  pass(2_000);
  await resolve('a');
  expect(asked).toEqual(['a', 'a']);
});

test('a lookup that hangs is not started again', async () => {
  const { resolve, asked, pass } = begin(() => new Promise(() => {}));
  void resolve('a');
  pass(3_600_000);
  void resolve('a');
  expect(asked).toEqual(['a']);
});

test('the names of this machine are found', async () => {
  const { resolve } = createResolver(() => 0, PACE.names);
  expect(await resolve('localhost')).toContain('127.0.0.1');
});
