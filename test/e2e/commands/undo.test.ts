// proof: program
/** `signalbox undo`, for scripts and people on the host. */
import { expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator, refusal } from '../../harness/operator.ts';
import { runAtTerminal } from '../../harness/terminal.ts';

const operator = await forFile(createOperator());
const run = (args: string[], input?: string) =>
  operator.run(args, input === undefined ? {} : { input });
/** Nobody has such an address. */
const BLOCK = { name: 'shut', recipe: 'allow', values: { networks: ['192.0.2.1'] } };
const api = async (line: string, body: object) => {
  const done = await run(['api', ...line.split(' '), '-f', '-'], JSON.stringify(body));
  expect([done.code, done.err]).toEqual([0, '']);
};
type Group = { group: number; count: number };
const newest = async () =>
  JSON.parse((await run(['api', 'GET', '/changelog', '-q', 'grouped=true'])).out) as Group[];
const at = '\\d{4}-\\S+Z';

await operator.start();

test('refuses what is not there', async () => {
  expect(await run(['undo', '7'])).toEqual(
    refusal('signalbox undo: There is no such group of changes. (NOT_FOUND)'),
  );
  const nothing = await runAtTerminal(['undo'], { cwd: operator.folder });
  expect(nothing).toEqual({ code: 1, seen: 'signalbox undo: there is nothing to undo\n' });
});

test('undoes the changes of one request, and the undo', async () => {
  for (const name of ['a', 'b']) {
    await run(['site', 'add', `http://${name}.example`, '--config', '-'], `respond ${name}\n`);
  }
  await api('POST /policies', BLOCK);
  const guarded = [1, 2].map((id) => ({ op: 'update', id, policies: ['shut'] }));
  await api('POST /vhosts/bulk', { operations: guarded });
  await api('PUT /vhosts/2', { upstream: '127.0.0.1:9' });
  const groups = await newest();
  expect(groups).toMatchObject([{ count: 1 }, { count: 2 }, {}, {}, {}]);

  expect(await operator.served('a.example')).toBe('');
  const number = groups[1]?.group;
  const undone = await run(['undo', `${number}`]);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect(undone.out).toMatch(
    new RegExp(`^${number}\t${at}\tcommand line\t[^\t]* 2 sites[^\t]*\t2 changes\n$`),
  );
  expect(await operator.served('a.example')).toBe('a');

  // The undo of the undo; what was changed since in another field stays.
  const [last] = await newest();
  const again = await run(['undo', `${last?.group}`, '--json']);
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { ...last, count: 2 }]);
  const asked = await runAtTerminal(['undo'], { cwd: operator.folder, type: 'n\n' });
  expect(asked.seen).toContain(
    '\t2 changes\n  update http://a.example\n  update http://b.example\n',
  );
  expect(await operator.served('b.example')).toBe('');
  expect((await run(['site', 'list'])).out).toContain('\t127.0.0.1:9\t');
});

test('names what was changed since, and undoes nothing', async () => {
  const [last] = await newest();
  await api('PUT /vhosts/2', { policies: [] });
  const { code, out, err } = await run(['undo', `${last?.group}`]);
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
