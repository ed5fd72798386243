// proof: program
/** `npm test` and `npm run prove` as commands. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../harness/stack.ts';

const ROOT = join(import.meta.dir, '../..');

function start(...words: string[]) {
  const child = Bun.spawn([process.execPath, 'scripts/tests/run.ts', ...words], {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  let out = '';
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) out += decoder.decode(chunk, { stream: true });
  })();
  const exited = async () => {
    const code = await child.exited;
    await read;
    return { code, lines: out.trim().split('\n') };
  };
  return { child, exited, out: () => out };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a run that gets %s ends with its counts, and goes on with nothing',
  async (signal, expected) => {
    const { child, exited, out } = start('prove', 'agent', 'hub');
    await until(() => out().includes('This machine takes'), 'its begin');
    child.kill(signal);
    const { code, lines } = await exited();
    expect(code).toBe(expected);
    expect(lines.at(-1)).toMatch(/^\d+ passed, \d+ failed$/);
    expect(lines).toContain('interrupted');
    expect(lines.filter((line) => line.startsWith('──')).length).toBeLessThan(2);
  },
);

test('a file runs by its name, and one of the proofs is not in the quick set', async () => {
  const one = await start('quick', 'test/shared/waiting').exited();
  expect([one.code, one.lines.at(-1)]).toEqual([
    0,
    expect.stringMatching(/^[1-9]\d* passed, 0 failed$/),
  ]);
  expect(one.lines.at(-2)).toMatch(/^\d+ s, \d+ s of the processor$/);
  const other = await start('quick', 'oathtool').exited();
  expect([other.code, other.lines.at(-1)]).toEqual([1, '0 passed, 1 failed']);
  expect(other.lines.join('\n')).toContain('bun run prove oathtool');
});
