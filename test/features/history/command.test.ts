// proof: program
/** `signalbox history` and `signalbox back` with a running hub, its agent and Caddy. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';

const operator = await forFile(createOperator());
const run = (args: string, input?: string) =>
  operator.run(args.split(' '), input === undefined ? {} : { input });
const add = (name: string) =>
  run(`site add http://${name}.localhost --config -`, `respond ${name}`);

let tuesday: string;
beforeAll(async () => {
  await operator.start();
  expect((await add('first')).code).toBe(0);
  expect((await add('second')).code).toBe(0);
  tuesday = new Date().toISOString();
  expect((await run('site rm http://first.localhost')).code).toBe(0);
  expect((await add('third')).code).toBe(0);
});

test.each([
  ['back', 'AT'],
  ['back yesterday', '(INVALID_REQUEST)'],
  ['back 7d', 'nothing is known of a time before'],
  ['history 2999-01-01', 'in the future'],
  ['back TUESDAY --site third.localhost', 'There was no site third.localhost at that moment.'],
])('%p is refused', async (args, words) => {
  const { code, out, err } = await run(args.replace('TUESDAY', tuesday));
  expect([code, out]).toEqual([args === 'back' ? code : 1, '']);
  expect(err).toContain(words);
});

test('history lists the changes, or the sites of a moment and what has changed since', async () => {
  expect((await run('history')).out).toMatch(
    /^2\S+ {2}Created http:\/\/third\.localhost \(.*\)\n2\S+ {2}Deleted http:\/\/first\.localhost/,
  );
  const { code, out } = await run(`history ${tuesday}`);
  expect(code).toBe(0);
  expect(out).toBe(
    [
      tuesday,
      '  http://first.localhost',
      '  http://second.localhost',
      'changed since:',
      '  delete site http://first.localhost',
      '  create site http://third.localhost',
      '',
    ].join('\n'),
  );
});

test('back is shown first, then done, and undone', async () => {
  const plan = await run(`back ${tuesday} --plan`);
  expect(plan.code).toBe(2);
  expect(plan.out).toStartWith(
    'delete site http://third.localhost\ncreate site http://first.localhost\n',
  );
  const done = await run(`back ${tuesday}`);
  expect(done.code).toBe(0);
  const [, group] = /^to undo: signalbox undo (\d+)\n$/.exec(done.err) ?? [];
  expect((await run('site list')).out).not.toContain('third');
  expect((await run(`back ${tuesday}`)).out).toBe('nothing to do\n');
  expect((await run(`undo ${group}`)).code).toBe(0);
  expect((await run('site list')).out).toContain('third');
});
