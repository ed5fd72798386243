import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/program/cli/commands.ts';
import { parseWords } from '../../../src/program/cli/parse.ts';
import { commandHelp, overallHelp, synopsis } from '../../../src/program/cli/usage.ts';

const parse = (...words: string[]) => parseWords(words, COMMANDS);

describe('the words of the command line', () => {
  test.each([
    ['a word nobody knows', ['serve']],
    ['an empty word', ['']],
    ['an option nobody knows', ['--hlep']],
    ['a surplus word', ['hub', 'x']],
    ['a word that is none of its choices', ['health', 'x']],
    ['a missing word', ['passwd']],
    ['two files', ['import', 'a', 'b']],
    ['an option of another command', ['passwd', 'a@b.example', '--dry-run']],
    ['a value for a switch', ['import', 'a', '--dry-run=yes']],
  ])('%s is refused', (_what, words) => {
    expect(parse(...words).ask).toBe('unknown');
  });

  test('options may stand anywhere, and - is a file', () => {
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

  test('no word at all is the one-machine mode', () => {
    expect(parse()).toMatchObject({ ask: 'run', command: { name: '' } });
  });

  test('--help anywhere does nothing but help', () => {
    expect(parse('--help')).toEqual({ ask: 'help', command: null });
    expect(parse('nothing', '-h')).toEqual({ ask: 'help', command: null });
    expect(parse('passwd', 'a@b.example', '--help')).toMatchObject({ command: { name: 'passwd' } });
  });
});

test('a reader that goes away is nobody’s fault', () => {
  const main = join(import.meta.dir, '../../../src/main.ts');
  const script = 'set -o pipefail; "$@" help | true; echo $?';
  const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script, 'bash', process.execPath, main]);
  expect([stdout.toString(), stderr.toString()]).toEqual(['0\n', '']);
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

  test('no line is wider than a terminal of a hundred columns', () => {
    const all = [overallHelp(COMMANDS), ...COMMANDS.map(commandHelp)].join('');
    expect(all.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(all).not.toContain('undefined');
  });
});
