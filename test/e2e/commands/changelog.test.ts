// proof: program
/** `signalbox changelog` and `signalbox undo`, for scripts and people on the host. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { askLocalHub } from '../../../src/program/cli/api/local-hub.ts';
import { createOperator } from '../../harness/operator.ts';
import { runAtTerminal } from '../../harness/terminal.ts';

const operator = createOperator();
const run = (args: string[], input?: string) =>
  operator.run(args, input === undefined ? {} : { input });
const BLOCK = JSON.stringify({ recipe: 'allow', values: { networks: ['192.0.2.1'] } });
const at = '\\d{4}-\\S+Z';

beforeAll(() => operator.start());
afterAll(operator.close);

describe('signalbox undo', () => {
  test('refuses what is not there', async () => {
    const none = await run(['undo', '7']);
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain('signalbox undo: There is no such group of changes. (NOT_FOUND)');
    const nothing = await runAtTerminal(['undo'], { cwd: operator.folder });
    expect(nothing).toEqual({ code: 1, seen: 'signalbox undo: there is nothing to undo\n' });
  });

  test('undoes the changes of one request, and the undo', async () => {
    for (const name of ['a', 'b']) {
      await run(['site', 'add', `http://${name}.example`, '--config', '-'], `respond ${name}\n`);
    }
    await run(['policy', 'put', 'shut', '-', '--site', 'a.example,b.example'], BLOCK);
    await run(['site', 'edit', 'b.example', '--upstream', '127.0.0.1:9']);
    const { code, out, err } = await run(['changelog', '-n', '3']);
    expect([code, err]).toEqual([0, '']);
    const [edit = '', put = '', ...rest] = out.trimEnd().split('\n');
    expect(edit).toMatch(
      new RegExp(`^6\t${at}\tcommand line\tChanged http://b\\.example: upstream$`),
    );
    expect(put).toMatch(
      new RegExp(`^3\t${at}\tcommand line\tCreated the policy shut and .* 2 sites\t3 changes$`),
    );
    expect(rest).toEqual([expect.stringMatching(/^2\t.*\tCreated http:\/\/b\.example$/)]);
    const json = JSON.parse((await run(['changelog', '--json'])).out) as { group: number }[];
    expect(json.map(({ group }) => group)).toEqual([6, 3, 2, 1]);

    expect(await operator.served('a.example')).toBe('');
    const undone = await run(['undo', '3']);
    expect([undone.code, undone.out, undone.err]).toEqual([0, `${put}\n`, '']);
    expect(await operator.served('a.example')).toBe('a');
    expect((await run(['policy', 'list'])).out).toBe('');

    // The undo of the undo; what was changed since in another field stays.
    const again = await run(['undo', '7', '--json']);
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { group: 7, count: 3 }]);
    const asked = await runAtTerminal(['undo'], { cwd: operator.folder, type: 'n\n' });
    expect(asked.seen).toContain(
      '\t3 changes\n  create (policy shut)\n  update http://a.example\n',
    );
    expect(await operator.served('b.example')).toBe('');
    expect((await run(['site', 'list'])).out).toContain('\t127.0.0.1:9\t');
  });

  test('names what was changed since, and undoes nothing', async () => {
    await run(['policy', 'put', 'shut', '--except', 'b.example']);
    const { code, out, err } = await run(['undo', '10']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/\(CHANGED_SINCE\)\n {2}Changed since: .*http:\/\/b\.example/);
    expect(await operator.served('a.example')).toBe('');
  });

  test('shows the newest in a terminal, and asks', async () => {
    const at = (type: string) => runAtTerminal(['undo'], { cwd: operator.folder, type });
    const kept = await at('n\n');
    expect(kept.code).toBe(1);
    expect(kept.seen).toMatch(/Changed http:\/\/b\.example: policies\n\D*Undo it\?/);
    expect(kept.seen).toEndWith('signalbox undo: nothing was changed\n');
    expect(await operator.served('b.example')).toBe('b');
    expect((await at('y\n')).code).toBe(0);
    expect(await operator.served('b.example')).toBe('');
  });

  test('lists more than a page of the API', async () => {
    const env = { DATA_DIR: join(operator.folder, 'data') };
    // Tags publish nothing.
    for (let at = 0; at <= 100; at++) {
      const body = { tags: [`t${at}`] };
      await askLocalHub(env, { method: 'PUT', path: '/vhosts/1', body });
    }
    const { out } = await run(['changelog', '-n', '102', '--json']);
    const groups = (JSON.parse(out) as { group: number }[]).map(({ group }) => group);
    expect(new Set(groups).size).toBe(102);
    expect(groups).toEqual(groups.toSorted((a, b) => b - a));
  });
});
