/** When the output is coloured. */
import { describe, expect, test } from 'bun:test';
import { createPaint } from '../../src/program/paint.ts';
import { folderForFile } from '../harness/for-file.ts';
import { MAIN, runProgram } from '../harness/program.ts';

const folder = folderForFile();

describe('colour', () => {
  test.each([
    ['that is not a terminal', false, {}],
    ['with NO_COLOR', true, { NO_COLOR: '1' }],
    ['with NO_COLOR, whatever its value', true, { NO_COLOR: 'false' }],
    ['of a terminal without colours', true, { TERM: 'dumb' }],
  ])('is not written on a stream %s', (_what, isTerminal, env) => {
    const paint = createPaint(isTerminal, env);
    for (const colour of [paint.red, paint.green, paint.bold]) expect(colour('text')).toBe('text');
  });

  test('is written on a terminal, even with an empty NO_COLOR', () => {
    expect(createPaint(true, { NO_COLOR: '' }).red('text')).toBe('\u001b[31mtext\u001b[39m');
  });

  test('is not written to a pipe', async () => {
    const { code, out, err } = await runProgram(['nothing'], { TERM: 'xterm' }, folder).exited();
    expect(code).toBe(2);
    expect(out + err).not.toContain('\u001b');
  });

  // script(1) from util-linux gives a process a terminal.
  const script = Bun.which('script');
  test.skipIf(script === null)('is written on a real terminal, and not with NO_COLOR', () => {
    const command = `${process.execPath} ${MAIN} nothing`;
    const terminal = (env: Record<string, string>) =>
      Bun.spawnSync(['script', '-qec', command, '/dev/null'], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
      });
    const coloured = terminal({});
    expect(coloured.exitCode).toBe(2);
    expect(coloured.stdout.toString()).toContain(
      '\u001b[31msignalbox: unknown command: nothing; see signalbox --help\u001b[39m',
    );
    expect(terminal({ NO_COLOR: '1' }).stdout.toString()).not.toContain('\u001b');
  });
});
