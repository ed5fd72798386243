// proof: program
/** `signalbox doors` with a running hub, its agent and Caddy. */
import { expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';

const operator = await forFile(createOperator());
const run = (args: string, input?: string) =>
  operator.run(args.split(' '), input === undefined ? {} : { input });

test('it needs a hub that runs', async () => {
  const { code, out } = await run('doors');
  expect([code, out]).toEqual([1, '']);
});

const SITES = {
  'http://shut.localhost': 'respond 403',
  'http://open.localhost': 'respond hello',
};

test('it prints who gets in and who came, what anyone gets in to first', async () => {
  await operator.start();
  for (const [domain, config] of Object.entries(SITES)) {
    expect((await run(`site add ${domain} --config -`, config)).code).toBe(0);
  }
  const { code, out } = await run('doors');
  expect([code, out]).toEqual([
    0,
    'Anyone\thttp://open.localhost\tno visitors\nNobody\thttp://shut.localhost\tno visitors\n',
  ]);
  const [first] = JSON.parse((await run('doors --json')).out);
  expect(first).toMatchObject({ domain: 'http://open.localhost', opensTo: 'anyone' });
});
