// proof: program
/** `signalbox explain` with a running hub, its agent and Caddy. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';
import { freePort, until } from '../../harness/stack.ts';

const operator = await forFile(createOperator());
const DEAD = `127.0.0.1:${freePort()}`;
const run = (args: string, input?: string) =>
  operator.run(args.split(' '), input === undefined ? {} : { input });

beforeAll(async () => {
  await operator.start();
  for (const [name, config] of [
    ['works', 'respond hello'],
    ['fails', `reverse_proxy ${DEAD}`],
  ]) {
    const { code } = await run(`site add http://${name}.localhost --config -`, config);
    expect(code).toBe(0);
  }
});

test('prints the seven steps of a site that works, and exits with 0', async () => {
  const { code, out } = await run('explain works.localhost');
  expect(code).toBe(0);
  expect(out.match(/^. (?:name|port|certificate|policy|connect|speak|answer) /gm)).toHaveLength(7);
  expect(out).toMatch(/^It works: GET \/ is answered with 200 after \d+ ms\.$/m);
});

test('the list of sites says which of them fails, and an applied file what to do', async () => {
  const sites = { 'http://applied.localhost': { upstream: DEAD } };
  const { code, err } = await run('apply -f - --source home', JSON.stringify({ sites }));
  expect(code).toBe(0);
  expect(err).toContain(`http://applied.localhost: Nothing listens at ${DEAD}`);
  expect(err).toContain('refused. Start the service, or correct the port of the upstream.\n');
  const statesOf = async (...names: string[]) => {
    const lines = (await run('site list')).out.split('\n');
    return names.map((name) =>
      lines
        .find((line) => line.includes(name))
        ?.split('\t')
        .at(-1),
    );
  };
  await until(async () => {
    const [applied, works] = await statesOf('applied.localhost', 'works.localhost');
    expect(applied).toMatch(/^(?:failing|down)$/);
    return works === 'live';
  }, 'the site that works');
});

test('prints what fails and what to do, and exits with 2', async () => {
  const { code, out } = await run('explain fails.localhost /login');
  expect(code).toBe(2);
  expect(out).toContain(`✗ connect      Nothing listens at ${DEAD}`);
  expect(out).toContain('(UPSTREAM_REFUSED)\nStart the service, or correct the port');
  const json = JSON.parse((await run('explain fails.localhost --json')).out);
  expect(json.cause).toBe('UPSTREAM_REFUSED');
});

test.each([
  ['explain', 'DOMAIN'],
  ['explain nobody.localhost', 'There is no site nobody.localhost'],
  ['explain works.localhost login', '(INVALID_REQUEST)'],
])('%p is refused with 1', async (args, words) => {
  const { code, out, err } = await run(args);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(words);
});
