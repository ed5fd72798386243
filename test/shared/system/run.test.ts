/** Another program, run to its end: what it may not do, and what is known of it then. */
import { expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, run } from '../../../src/shared/system/run.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const FOREVER = 600_000;
const sh = (script: string, more: Partial<Run> = {}) =>
  run({
    command: ['sh', '-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    limit: FOREVER,
    most: 1_000,
    ...more,
  });

/** @param pid of a process, or of a group if it is negative */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('one that is not there is an error', async () => {
  await expect(sh('', { command: ['/never/there'] })).rejects.toThrow('ENOENT');
});

test('one that prints without end is killed', async () => {
  expect(await sh('trap "" PIPE; while :; do echo 0123456789; done')).toMatchObject({
    stdout: null,
    signal: 'SIGKILL',
    isLate: false,
  });
});

test('one that takes too long is killed with its children', async () => {
  let pid = 0;
  const ended = await sh('sleep 600 & sleep 600', {
    limit: 50,
    started: (one) => {
      pid = one;
    },
  });
  expect(ended).toEqual({ code: null, signal: 'SIGKILL', isLate: true, stdout: '', stderr: '' });
  await until(() => !isThere(-pid), 'the end of all of them');
});

test('one that hears the request to end has time for it, and one that does not is killed', async () => {
  const folder = temporaryFolder();
  const asked = (does: string, grace: number) => {
    const stopper = new AbortController();
    const ready = join(folder, String(grace));
    const ended = sh(`trap "${does}" TERM; : > ${ready}; while :; do sleep 0.01; done`, {
      signal: stopper.signal,
      grace,
    });
    return until(() => existsSync(ready), 'the trap').then(() => {
      stopper.abort();
      return ended;
    });
  };
  const hears = await asked('echo bye; exit 3', FOREVER);
  const ignores = await asked('', 50);
  rmSync(folder, { recursive: true });
  expect(hears).toMatchObject({ code: 3, signal: null, isLate: false, stdout: 'bye\n' });
  expect(ignores).toMatchObject({ code: null, signal: 'SIGKILL', isLate: false });
});

test('what it leaves running is ended, and keeps nobody waiting', async () => {
  const { code, stdout } = await sh('sleep 600 & echo $!');
  expect(code).toBe(0);
  await until(() => !isThere(Number(stdout)), 'the end of what it left');
});

test('it gets its input as a file, and nothing of this environment', async () => {
  const ended = await sh('cat /dev/stdin; env; echo no >&2; exit 7', { stdin: new Blob(['in ']) });
  expect(ended).toMatchObject({ code: 7, signal: null, stderr: 'no\n' });
  expect(ended.stdout?.replace(/^(PWD|SHLVL|_)=.*\n/gm, '')).toBe('in PATH=/usr/bin:/bin\n');
});
