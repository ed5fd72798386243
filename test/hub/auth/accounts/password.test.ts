import { expect, test } from 'bun:test';
import { join } from 'node:path';

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
