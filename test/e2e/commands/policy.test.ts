// proof: program
/** `signalbox policy` for scripts on the host. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOperator } from '../../harness/operator.ts';

const operator = createOperator();
const run = (args: string[], input?: string) =>
  operator.run(args, input === undefined ? {} : { input });
const policy = (args: string[], body?: object | string) =>
  run(['policy', ...args], typeof body === 'object' ? JSON.stringify(body) : body);

/** Nobody has such an address. */
const SHUT = { recipe: 'allow', values: { networks: ['192.0.2.1'] } };

beforeAll(async () => {
  await operator.start();
  for (const name of ['a', 'b']) {
    const args = ['site', 'add', `http://${name}.example`, '--config', '-'];
    await run(args, `respond ${name}\n`);
  }
});
afterAll(operator.close);

describe('signalbox policy', () => {
  test.each([
    ['no JSON', '{"secret', '- is not JSON\n'],
    ['no object', '[]', '- is no JSON object with the fields of a policy\n'],
    ['a wrong field', { ...SHUT, evrywhere: true }, 'evrywhere\n  Did you mean everywhere?\n'],
    ['no recipe', { values: {} }, '- names no recipe, which a new policy needs\n'],
    ['an unknown recipe', { ...SHUT, recipe: 'alow' }, '(INVALID_REQUEST)\n'],
    ['wrong values', { ...SHUT, values: { networks: ['private'] } }, '(INVALID_REQUEST)\n'],
  ])('refuses %s, and repeats nothing of it', async (_what, body, reason) => {
    const { code, out, err } = await policy(['put', 'shut', '-'], body);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(reason);
    expect(err).not.toMatch(/secret|operation/);
  });

  test('refuses what is not there, and changes nothing', async () => {
    const none = await policy(['put', 'shut', '--site', 'a.example']);
    expect([none.code, none.err]).toEqual([
      1,
      'signalbox policy: There is no policy shut. (NOT_FOUND)\n',
    ]);
    const elsewhere = await policy(['put', 'shut', '-', '--site', 'a.example,c.example'], SHUT);
    expect([elsewhere.code, elsewhere.err]).toEqual([
      1,
      expect.stringContaining('There is no site c.example. (NOT_FOUND)'),
    ]);
    const both = await policy(['put', 'shut', '-', '--site=a.example', '--except=a.example'], SHUT);
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('both name http://a.')]);
    expect((await policy(['list'])).out).toBe('');
  });

  test('creates it with its sites as one change, and moves it', async () => {
    const put = await policy(['put', 'shut', '-', '--site', 'a.example'], SHUT);
    expect([put.code, put.out, put.err]).toEqual([0, 'shut\tallow\tsites\thttp://a.example\n', '']);
    expect([await operator.served('a.example'), await operator.served('b.example')]).toEqual([
      '',
      'b',
    ]);
    const everywhere = await policy(['put', 'shut', '--everywhere', '--except', 'a.example']);
    expect([everywhere.code, everywhere.out]).toEqual([
      0,
      'shut\tallow\teverywhere\thttp://b.example\n',
    ]);
    expect([await operator.served('a.example'), await operator.served('b.example')]).toEqual([
      'a',
      '',
    ]);
    const back = await policy(['put', 'shut', '--site', 'a.example', '--json']);
    expect(JSON.parse(back.out)).toMatchObject({
      ...{ name: 'shut', everywhere: true, vhosts: [1, 2] },
      domains: ['http://a.example', 'http://b.example'],
    });
  });

  test('does not remove one in use, and says where it is', async () => {
    const used = await policy(['rm', 'shut']);
    expect([used.code, used.out]).toEqual([1, '']);
    expect(used.err).toContain('(POLICY_IN_USE)\n  Used by http://a.example, http://b.example.\n');
    const listed = JSON.parse((await policy(['list', '--json'])).out) as object[];
    // What was listed can be put again.
    const off = await policy(['put', 'shut', '-'], { ...listed[0], everywhere: false });
    expect([off.code, off.out]).toEqual([0, 'shut\tallow\tsites\t\n']);
    const gone = await policy(['rm', 'shut']);
    expect([gone.code, gone.out]).toEqual([0, 'shut\tallow\tsites\t\n']);
    const again = await policy(['rm', 'shut']);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('(NOT_FOUND)')]);
  });

  test('never prints a password or its hash, and keeps the one that is left out', async () => {
    const users = (...some: object[]) => ({ recipe: 'basic-auth', values: { users: some } });
    const secret = 'correct horse battery';
    const weak = await policy(['put', 'door', '-'], users({ name: 'ada', password: 5 }));
    expect([weak.code, weak.err]).toEqual([1, expect.stringContaining('users')]);
    const outputs = [
      await policy(['put', 'door', '-', '--json'], users({ name: 'ada', password: secret })),
      await policy(['put', 'door', '-', '--json'], users({ name: 'ada' })),
      await policy(['list', '--json']),
    ];
    for (const { code, out, err } of outputs) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('"users":[{"name":"ada"}]');
      expect(out).not.toMatch(/horse|\$2/);
    }
    const other = await policy(['put', 'door', '-'], SHUT);
    expect([other.code, other.err]).toEqual([
      1,
      'signalbox policy: door has the recipe basic-auth, which stays as it is\n',
    ]);
  });
});
