import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { checkPassword } from '../../../../src/hub/auth/accounts/password.ts';

const PASSWORD = join(import.meta.dir, '../../../../src/hub/auth/accounts/password.ts');

/** In a process of its own: the limit is for all of a process. */
const SCRIPT = `
import { closeSync, openSync } from 'node:fs';
import { checkPassword } from '${PASSWORD}';
const check = () => checkPassword('password1234').then(() => 'accepted', (error) => String(error.code));
Bun.spawnSync(['prlimit', '--pid', String(process.pid), '--nofile=64:64']);
const open = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // Too many.
}
console.log(await check());
for (const handle of open) closeSync(handle);
console.log(await check());
`;

test('a password is checked again once fewer files are open', async () => {
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], { stdout: 'pipe', stderr: 'inherit' });
  const [during, after] = (await child.stdout.text()).trim().split('\n');
  expect(during).not.toBe('accepted');
  expect(after).toBe('PASSWORD_TOO_COMMON');
});

test('a list of common passwords is one text, of which only whole lines count', async () => {
  const codeOf = (password: string) =>
    checkPassword(password).then(
      () => 'accepted',
      ({ code }) => code,
    );
  for (const common of ['password1234', 'PassWord123', 'trustno1']) {
    expect([common, await codeOf(common)]).toEqual([common, 'PASSWORD_TOO_COMMON']);
  }
  // Two neighbours of the list, and parts of a line.
  for (const other of ['password\n12345678', '\npassword', 'assword1234', 'trustno1 ']) {
    expect([other, await codeOf(other)]).toEqual([other, 'accepted']);
  }
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  expect(Object.values(dictionary).map(({ length }) => length)).toEqual([0, 0]);
});
