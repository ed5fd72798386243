import { afterAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/program/cli/commands.ts';
import { bashScript, fishScript, zshScript } from '../../../src/program/cli/completion-scripts.ts';
import { runProgram } from '../../harness/program.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'one.Caddyfile'), '');

/** What a person is offered who typed `words` and presses Tab behind the last. */
function offered(...words: string[]): string[] {
  const script = `${bashScript(COMMANDS)}
COMP_WORDS=(signalbox "$@"); COMP_CWORD=$#
_signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = Bun.spawnSync(['bash', '-uc', script, 'bash', ...words], {
    cwd: folder,
  });
  expect(stderr.toString()).toBe('');
  return stdout.toString().split('\n').filter(Boolean);
}

describe('bash completion', () => {
  test('offers nothing behind a word nobody knows, and no files where none is wanted', () => {
    expect(offered('nothing', '')).toEqual([]);
    expect(offered('hub', 'o')).toEqual([]);
    expect(offered('passwd', '')).toEqual(['--help']);
  });

  test('offers every command', () => {
    const names = COMMANDS.map(({ name }) => name).filter(Boolean);
    expect(offered('')).toEqual([...names, '--help', '--version']);
    expect(offered('pass')).toEqual(['passwd']);
    expect(offered('help', 'imp')).toEqual(['import']);
  });

  test('offers choices, options and files', () => {
    expect(offered('health', '')).toEqual(['hub', 'agent', '--help']);
    expect(offered('agent', '--n')).toEqual(['--new-cert']);
    expect(offered('import', 'o')).toEqual(['one.Caddyfile']);
  });
});

describe('completion for other shells', () => {
  test('a shell that is not known is refused', async () => {
    const { code, out, err } = await runProgram(['completion', 'tcsh'], {}, folder).exited();
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('completion bash|zsh|fish');
  });

  test.each([
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
  ] as const)('%s is printed, and names every command and option', async (shell, script) => {
    const { code, out } = await runProgram(['completion', shell], {}, folder).exited();
    expect(code).toBe(0);
    expect(out).toBe(script(COMMANDS));
    expect(out).not.toContain('undefined');
    for (const { name, options } of COMMANDS) {
      expect(out).toContain(name);
      for (const option of Object.keys(options)) expect(out).toContain(option);
    }
  });

  for (const [shell, script] of [
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
  ] as const) {
    test.skipIf(Bun.which(shell) === null)(`${shell} can read it`, () => {
      const read = Bun.spawnSync([shell, '-n'], { stdin: Buffer.from(script(COMMANDS)) });
      expect([read.exitCode, read.stderr.toString()]).toEqual([0, '']);
    });
  }
});
