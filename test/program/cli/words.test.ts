/** How the command line is parsed, and what help prints. */
import { describe, expect, test } from 'bun:test';
import { parseWords } from '../../../src/program/cli/command.ts';
import { COMMANDS } from '../../../src/program/cli/commands.ts';
import { commandHelp, overallHelp, synopsis } from '../../../src/program/cli/help.ts';
import { MAIN } from '../../harness/program.ts';

const parse = (...words: string[]) => parseWords(words, COMMANDS);

describe('the command line', () => {
  test.each([
    ['an unknown command', ['serve']],
    ['an empty command', ['']],
    ['help of an unknown command', ['nosuch', '--help']],
    ['help of an unknown command, first', ['-h', 'nosuch']],
    ['an unknown option', ['--hlep']],
    ['a surplus argument', ['hub', 'x']],
    ['an argument that is not among the choices', ['health', 'x']],
    ['a missing argument', ['passwd']],
    ['two files', ['import', 'a', 'b']],
    ['an option of another command', ['passwd', 'a@b.example', '--dry-run']],
    ['a value for a switch', ['import', 'a', '--dry-run=yes']],
  ])('refuses %s', (_what, words) => {
    expect(parse(...words).ask).toBe('unknown');
  });

  test('takes options anywhere, and - as a file', () => {
    for (const words of [
      ['import', '--dry-run', '-'],
      ['import', '-', '--dry-run'],
    ]) {
      const parsed = parse(...words);
      if (parsed.ask !== 'run') throw new Error(parsed.ask);
      expect([parsed.command.name, parsed.given.args]).toEqual(['import', ['-']]);
      expect([parsed.given.has('dry-run'), parsed.given.has('new-cert')]).toEqual([true, false]);
    }
  });

  test('runs the one-machine mode without arguments', () => {
    expect(parse()).toMatchObject({ ask: 'run', command: { name: '' } });
  });

  test('shows only help with --help anywhere', () => {
    expect(parse('--help')).toEqual({ ask: 'help', command: null });
    expect(parse('passwd', 'a@b.example', '--help')).toMatchObject({ command: { name: 'passwd' } });
  });
});

test('a closed pipe is not an error', () => {
  const script = 'set -o pipefail; "$@" help | true; echo $?';
  const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script, 'bash', process.execPath, MAIN]);
  expect([stdout.toString(), stderr.toString()]).toEqual(['0\n', '']);
});

describe('an unknown command', () => {
  const run = (...words: string[]) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, MAIN, ...words]);
    return { code: exitCode, out: stdout.toString(), last: stderr.toString().trimEnd() };
  };

  test.each([
    [['imprt', 'x'], 'signalbox: unknown command: imprt x; did you mean import?'],
    [['nosuch', '--help'], 'signalbox: unknown command: nosuch --help'],
    [['help', 'instal'], 'signalbox: unknown command: help instal; did you mean install?'],
    [['a\x1b[2J'], 'signalbox: unknown command: a\\u001b[2J'],
  ])('%j exits with 2, and says which one may be meant', (words, reason) => {
    const { code, out, last } = run(...words);
    expect([code, out]).toEqual([2, '']);
    expect(last).toEndWith(`\n${reason}`);
  });
});

describe('help', () => {
  test.each(COMMANDS.map((command) => [synopsis(command), command] as const))(
    '%s',
    (_, command) => {
      const text = commandHelp(command);
      expect(text).toStartWith(`Usage: ${synopsis(command)}\n\n`);
      expect(text).toContain('Exit codes: 0 ');
      for (const option of Object.keys(command.options)) expect(text).toContain(`  --${option}`);
      expect(overallHelp(COMMANDS)).toContain(`\n  ${synopsis(command)}`);
    },
  );

  test('no line is wider than a hundred columns', () => {
    const all = [overallHelp(COMMANDS), ...COMMANDS.map(commandHelp)].join('');
    expect(all.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(all).not.toContain('undefined');
  });
});
