/** `signalbox import` into a running hub. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';

const operator = await forFile(createOperator());
const { folder } = operator;
const file = join(folder, 'theirs.Caddyfile');
const run = (args: string[], input?: string) =>
  operator.run(['import', ...args], input === undefined ? {} : { input });
const served = () => operator.served('mine.example');

beforeAll(async () => {
  writeFileSync(file, '{\n\tadmin off\n}\n\n# mine\nhttp://mine.example {\n\trespond mine\n}\n');
  await operator.start();
});

test('reports what is wrong, and imports nothing', async () => {
  expect((await run([])).code).toBe(2);
  expect((await run([file, '--nonsense'])).code).toBe(2);
  expect(await run(['nowhere.Caddyfile'])).toEqual(refusal('nowhere.Caddyfile cannot be read'));
  const bad = await run(['-'], 'http://a.example {\n\trespnd\n}\n');
  expect([bad.code, bad.out]).toEqual([1, '']);
  expect(bad.err).toContain('unrecognized directive: respnd');
  expect(bad.err).toEndWith('  Did you mean `respond`?\n');
  expect(await served()).not.toBe('mine');
});

test('shows on a dry run what it would publish, and publishes it without', async () => {
  const dry = await run([file, '--dry-run']);
  expect(dry.code).toBe(0);
  expect(dry.err).toContain('line 2 skipped: admin');
  expect(dry.err).toContain('1 site would be imported');
  expect(dry.out).toContain('# mine\nhttp://mine.example {');
  expect(await served()).not.toBe('mine');
  const done = await run([file]);
  expect([done.code, done.out]).toEqual([0, '1\thttp://mine.example\n']);
  expect(await served()).toBe('mine');
});

test('replaces nothing unasked: it shows what differs, and then does what it is told', async () => {
  const text =
    'http://new.example {\n\trespond new\n}\nhttp://mine.example {\n\trespond yours\n}\n';
  for (const args of [['-'], ['-', '--dry-run']]) {
    const { code, out, err } = await run(args, text);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('http://mine.example already exists:\n');
    expect(err).toContain('-\trespond mine\n+\trespond yours\n');
    expect(err).toContain('(DOMAIN_TAKEN)');
    expect(err).toContain('  Use --replace, --replace-all or --skip-taken');
  }
  expect(await operator.served('new.example')).toBe('');
  for (const args of [
    ['--preamble', 'mine'],
    ['--replace-all', '--skip-taken'],
  ]) {
    expect((await run(['-', ...args], text)).code).toBe(2);
  }
  expect(await run(['-', '--replace', 'http://min.example'], text)).toEqual(
    refusal('  Did you mean http://mine.example?'),
  );

  const skipped = await run(['-', '--skip-taken'], text);
  expect([skipped.code, skipped.out]).toEqual([0, '2\thttp://new.example\n']);
  expect(skipped.err).toBe('http://mine.example: skipped\n1 site imported\n');
  const replaced = await run(['-', '--replace', 'http://mine.example'], text);
  expect([replaced.code, replaced.out]).toEqual([
    0,
    '2\thttp://new.example\n1\thttp://mine.example\n',
  ]);
  expect(replaced.err).toEndWith('\n1 site imported, 1 the same as before\n');
  expect(await served()).toBe('yours');
  const off = await operator.run(['site', 'off', 'http://mine.example']);
  expect(off.code).toBe(0);
  const isOff = await run(['-'], text);
  expect(isOff.err).toStartWith('http://mine.example already exists, but is off.\n');
  await operator.run(['site', 'on', 'http://mine.example']);
  const snippet = await run(['-'], '(mine) {\n\trespond mine\n}\n');
  expect([snippet.code, snippet.err]).toEqual([0, 'Preamble changed: (mine)\n0 sites imported\n']);
  expect(await run(['-'], '{\n\thttp_port 1\n}\n')).toEqual(refusal('http_port differs:'));
  expect((await run(['-', '--preamble', 'keep'], '{\n\thttp_port 1\n}\n')).code).toBe(0);
  expect(await served()).toBe('yours');
});

test('takes the files that it imports, relative to it, and says so where it cannot', async () => {
  const home = join(folder, 'several');
  mkdirSync(join(home, 'sites'), { recursive: true });
  const main = join(home, 'Caddyfile');
  writeFileSync(main, '(common) {\n\tencode gzip\n}\nimport sites/*.caddy\n');
  const site = 'http://part.example {\n\timport common\n\timport ../more\n}\n';
  writeFileSync(join(home, 'sites', 'part.caddy'), site);
  const missing = await run([main]);
  expect([missing.code, missing.out]).toEqual([1, '']);
  expect(missing.err).toContain('`import` of files is not allowed');
  expect(missing.err).toContain('signalbox import FILE');
  writeFileSync(join(home, 'more'), 'respond part\n');
  const done = await run([main]);
  expect([done.code, done.out]).toEqual([
    0,
    expect.stringMatching(/^\d+\thttp:\/\/part\.example\n$/),
  ]);
  expect(await operator.served('part.example')).toBe('part');
});
