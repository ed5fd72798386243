/** Shell completion. */
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bashScript, fishScript, zshScript } from '../../../src/program/cli/completion.ts';
import { COMMANDS } from '../../harness/commands.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { runProgram } from '../../harness/program.ts';

const folder = folderForFile();
writeFileSync(join(folder, 'one.Caddyfile'), '');

/** What Tab offers after `words`, in the place of the last one. */
function offered(...words: string[]): string[] {
  const script = `${bashScript(COMMANDS)}
signalbox() { [ "$*" != 'api-paths DELETE' ] || printf '%s\\n' '/vhosts/{id}' '/tokens/{id}'; }
COMP_WORDS=(signalbox "$@"); COMP_CWORD=$#
_signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = Bun.spawnSync(['bash', '-uc', script, 'bash', ...words], {
    cwd: folder,
  });
  expect(stderr.toString()).toBe('');
  return stdout.toString().split('\n').filter(Boolean);
}

describe('bash completion', () => {
  test('offers nothing after an unknown command, and files only to commands that take them', () => {
    expect(offered('nothing', '')).toEqual([]);
    expect(offered('hub', 'o')).toEqual([]);
    // The path of a URL is none of a file.
    expect(offered('site', 'add', 'a.example', '--check', 'o')).toEqual(['on', 'off']);
    expect(offered('passwd', '')).toEqual(['--reset-factors', '--owner', '--help']);
  });

  test('offers every command', () => {
    const names = COMMANDS.map(({ name }) => name).filter(Boolean);
    expect(offered('')).toEqual([...names, '--help', '--version']);
    expect(offered('pass')).toEqual(['passwd']);
    expect(offered('help', 'imp')).toEqual(['import']);
  });

  test('offers choices, options and files', () => {
    expect(offered('health', '')).toEqual(['hub', 'agent', '--help']);
    expect(offered('agent', '--i')).toEqual(['--invite']);
    expect(offered('import', 'o')).toEqual(['one.Caddyfile']);
    expect(offered('import', 'n')).toEqual(['npm']);
    expect(offered('import', 'npm', 'o')).toEqual(['one.Caddyfile']);
    expect(offered('site', 's')).toEqual(['show']);
    expect(offered('site', 'add', 'a.example', '--config', 'o')).toEqual(['one.Caddyfile']);
    expect(offered('apply', '-f', 'o')).toEqual(['one.Caddyfile']);
    expect(offered('apply', '--file', 'o')).toEqual(['one.Caddyfile']);
    expect(offered('logs', '-f', '--u')).toEqual(['--user-agent', '--until']);
    expect(offered('logs', '--u')).toEqual(['--user-agent', '--until']);
  });
});

test('bash offers what a running hub says', () => {
  expect(offered('api', 'D')).toEqual(['DELETE']);
  expect(offered('api', 'DELETE', '')).toEqual(['/vhosts/{id}', '/tokens/{id}']);
  expect(offered('api', 'DELETE', '/v')).toEqual(['/vhosts/{id}']);
  expect(offered('api', 'GET', '')).toEqual([]);
  expect(offered('api', 'DELETE', '/vhosts/{id}', '--q')).toEqual(['--query']);
});

describe('signalbox completion', () => {
  test('refuses an unknown shell', async () => {
    const { code, out, err } = await runProgram(['completion', 'tcsh'], {}, folder).exited();
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('completion bash|zsh|fish');
  });

  describe.each([
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
  ] as const)('the script for %s', (shell, script) => {
    test('is printed, with every command and option', async () => {
      const { code, out } = await runProgram(['completion', shell], {}, folder).exited();
      expect(code).toBe(0);
      expect(out).toBe(script(COMMANDS));
      expect(out).not.toContain('undefined');
      for (const { name, options } of COMMANDS) {
        expect(out).toContain(name);
        for (const option of Object.keys(options)) expect(out).toContain(option);
      }
    });

    test.skipIf(Bun.which(shell) === null)('is valid', () => {
      const read = Bun.spawnSync([shell, '-n'], { stdin: Buffer.from(script(COMMANDS)) });
      expect([read.exitCode, read.stderr.toString()]).toEqual([0, '']);
    });
  });
});
