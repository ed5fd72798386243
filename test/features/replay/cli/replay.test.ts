// proof: program
/** `signalbox replay` and `--replay` with a running hub, its agent and Caddy. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';
import { ask, until } from '../../../harness/stack.ts';

const operator = await forFile(createOperator());
const NAME = 'http://app.example';
const CONFIG = 'respond /api/* pushed\nrespond hello';
const CLOSED = 'respond /api/* 403\nrespond hello';
const ALL = '3 requests of the last 7 days: ';
const DIFFERS = `${ALL}2 answer the same, 1 would not

app.example: 1 request (2 times, 1 visitor) gets 403 instead of 200
  127.0.0.1 GET /api/push
`;
const run = (args: string, input?: string) =>
  operator.run(args.split(' '), input === undefined ? {} : { input });

beforeAll(async () => {
  await operator.start();
  const changes = [
    ['site add http://other.example --config -', 'respond other'],
    [`site add ${NAME} --config -`, CLOSED],
    ['api PUT /vhosts/2 -f -', JSON.stringify({ config: CONFIG })],
  ] as const;
  for (const [args, input] of changes) expect((await run(args, input)).code).toBe(0);
  const visits = ['/', '/api/push?token=secret', '/api/push?token=secret', '/page'];
  for (const path of visits) {
    const { text } = await ask(`http://127.0.0.1:${operator.port}${path}`, {
      headers: { Host: 'app.example' },
    });
    expect(text).toBe(path.startsWith('/api') ? 'pushed' : 'hello');
  }
  await ask(`http://127.0.0.1:${operator.port}/`, { headers: { Host: 'other.example' } });
  await until(
    async () => (await run('logs')).out.split('\n').length === visits.length + 2,
    'the requests in the log',
  );
});

describe('refuses', () => {
  test.each([
    ['', 'give a FILE'],
    ['--undo 1 x', '--undo takes no FILE'],
    ['--undo 1 --site app.example', 'no --site'],
    ['--undo 0', '--undo takes the number'],
    ['--undo x', '--undo takes the number'],
    ['--days 31 -', '--days takes a number from 1 to 30'],
    ['--days 0 -', '--days'],
    ['--requests 99 -', '--requests takes a number from 100 to 50000'],
    ['--requests 1e3 -', '--requests'],
    ['nowhere.json', 'nowhere.json cannot be read'],
    ['--site http://app.exmple -', 'Did you mean http://app.example?'],
    ['--site app.example --nonsense -', 'unknown option'],
    ['--hub nonsense -', '--hub takes an address'],
    ['--agent nobody --site app.example -', '(NOT_FOUND)'],
    ['--undo 999', '(NOT_FOUND)'],
  ])('%p with 1', async (args, words) => {
    expect(
      await operator.run(['replay', ...args.split(' ').filter(Boolean)], {
        input: CLOSED,
      }),
    ).toEqual(refusal(words));
  });

  test('what is not JSON, no operations, and what the change is refused with', async () => {
    for (const [args, input, words] of [
      ['-', CLOSED, '- is not JSON'],
      ['-', '[]', '(INVALID_REQUEST)'],
      ['-', '{"op": "nonsense"}', '(INVALID_REQUEST)'],
      ['--site app.example -', 'respnd hi', '(PROXY_REJECTED)'],
    ] as const) {
      expect(await run(`replay ${args}`, input)).toEqual(refusal(words));
    }
  });

  test.each([
    ['apply -f - --replay', 1, '--replay needs --plan'],
    ['import - --replay', 2, '--replay needs --dry-run'],
    ['import npm . --replay', 2, '--replay needs --dry-run'],
  ])('%p', async (args, expected, words) => {
    const { code, out, err } = await run(args, '');
    expect([code, out]).toEqual([expected, '']);
    expect(err).toContain(words);
  });
});

describe('a new config of a site', () => {
  test('names the requests that would be answered differently, with 2', async () => {
    const { code, out, err } = await run('replay --site app.example -', CLOSED);
    expect([code, err]).toEqual([2, '']);
    expect(out).toBe(DIFFERS);
    expect(out).not.toContain('secret');
  });

  test('is 0 if all answer the same', async () => {
    const { code, out } = await run('replay --site app.example --days 1 -', `# why\n${CONFIG}`);
    expect([code, out]).toEqual([0, '3 requests of the last day: all answer the same\n']);
  });

  test('as JSON', async () => {
    const { code, out } = await run('replay --json --requests 100 --site app.example -', CLOSED);
    const found = JSON.parse(out);
    expect(code).toBe(2);
    expect(found).toMatchObject({ state: 'done', done: 3, of: 3, same: 2, differ: 1 });
    expect(found.groups[0]).toMatchObject({ count: 2, after: { status: 403 } });
  });
});

test('operations, one or several, and as JSON of one', async () => {
  const { out } = await run('site list --json');
  const { id } = JSON.parse(out).find(({ domain }: { domain: string }) => domain === NAME);
  const operation = { op: 'update', id, config: CLOSED };
  for (const input of [operation, [{ ...operation, config: 'respond x 500' }, operation]]) {
    const done = await run('replay -', JSON.stringify(input));
    expect([done.code, done.out]).toEqual([2, DIFFERS]);
  }
  const both = [operation, { op: 'create', domain: 'http://x.example', config: 'respond x' }];
  expect((await run('replay -', JSON.stringify(both))).code).toBe(2);
});

describe('of what a command would do, the exit code is still that of the command', () => {
  test('apply --plan', async () => {
    const yaml = (config: string) => JSON.stringify({ sites: { [NAME]: { config } } });
    const plan = await run('apply -f - --adopt --plan', yaml(CLOSED));
    const asked = await run('apply -f - --adopt --plan --replay', yaml(CLOSED));
    expect([asked.code, asked.err]).toEqual([2, '']);
    expect(asked.out).toBe(`${plan.out}\n${DIFFERS}`);
    const same = await run('apply -f - --adopt --plan --replay', yaml(`# why\n${CONFIG}`));
    expect([same.code, same.err]).toEqual([2, '']);
    expect(same.out).toContain(`\n\n${ALL}all answer the same\n`);
    const nothing = await run('apply -f - --plan --replay', '{"sites": {}}');
    expect(nothing.code).toBe(0);
    expect(nothing.out).toMatch(/^nothing to do\ndigest \S+\n$/);
  });

  test('import --dry-run', async () => {
    const file = `${NAME} {\n\trespond /api/* 403\n\trespond hello\n}\n`;
    const plain = await run('import - --replace-all --dry-run', file);
    const asked = await run('import - --replace-all --dry-run --replay', file);
    expect([asked.code, asked.out]).toEqual([0, plain.out]);
    expect(asked.err).toBe(`${plain.err}${DIFFERS}`);
  });
});

test('an undo, and nothing of all this was changed', async () => {
  expect(await operator.served('app.example')).toBe('hello');
  const groups = async () => JSON.parse((await run('api GET /changelog -q grouped=true')).out);
  const [{ group: newest }] = await groups();
  const undone = await run(`replay --undo ${newest}`);
  expect(undone).toEqual({ code: 2, out: DIFFERS, err: '' });
  expect(await groups()).toMatchObject([{ group: newest }, {}, {}]);
});
