// proof: program
/** `signalbox history` and `signalbox back` with a running hub, its agent and Caddy. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';
import { ask, signUp } from '../../harness/stack.ts';

const operator = await forFile(createOperator());
const run = (args: string, input?: string) =>
  operator.run(args.split(' '), input === undefined ? {} : { input });
const add = (name: string) =>
  run(`site add http://${name}.localhost --config -`, `respond ${name}`);

let tuesday: string;
let hub: string;
beforeAll(async () => {
  hub = (await operator.start()).hub;
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

test('a viewer gets the sites of a moment, and reads what is left out', async () => {
  const owner = await signUp({ hub });
  const account = { name: 'V', email: 'v@example.org', password: 'a long passphrase' };
  const post = (path: string, json: object, headers: Record<string, string> = {}) =>
    ask<{ token: string }>(`${hub}${path}`, { json, headers });
  await post('/users', { ...account, role: 'viewer' }, owner.headers);
  const session = (await post('/auth/sign-in/email', account)).body.token;
  const json = { name: 'reads', scope: 'read' };
  const { token } = (await post('/tokens', json, { Authorization: `Bearer ${session}` })).body;
  const words = ['history', tuesday, '--hub', hub.replace('/api', '')];
  expect(await operator.run(words, { before: `export SIGNALBOX_TOKEN=${token}` })).toEqual({
    code: 0,
    out: `${tuesday}\n  http://first.localhost\n  http://second.localhost\n`,
    err: 'What has changed since is left out: only owners and editors see that.\n',
  });
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
