/** `signalbox passwd` for somebody who cannot give their second factor any more. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { runProgram } from '../../../harness/program.ts';
import { codeOf, createBrowser, secretIn } from '../../../harness/second-factor.ts';
import { ask, signUp } from '../../../harness/stack.ts';

const CYD = 'cyd@example.org';
const PASSWORD = 'a long passphrase';

const hub = await forFile(startHubAlone());
const ada = (await signUp(hub)).headers;
const passwd = (args: string[], input = '') =>
  runProgram(['passwd', ...args], { DATA_DIR: hub.dataDir }, hub.folder, { input }).exited();

test('whoever lost their device, or the hub its key, gets in again', async () => {
  const json = { name: 'Cyd', email: CYD, password: PASSWORD };
  await ask(`${hub.hub}/users`, { headers: ada, json });
  const signIn = async (browser = createBrowser(() => hub.hub)) => {
    const { status, body } = await browser.call('/auth/sign-in/email', {
      email: CYD,
      password: PASSWORD,
    });
    return { status, browser, isIn: typeof body.token === 'string' };
  };
  const { browser } = await signIn();
  const path = '/auth/two-factor/enable';
  const { body } = await browser.call<{ totpURI: string }>(path, { password: PASSWORD });
  const code = () => ({ code: codeOf(secretIn(body.totpURI)) });
  expect((await browser.call('/auth/two-factor/verify-totp', code())).status).toBe(200);
  const half = await signIn();
  expect([half.status, half.isIn]).toEqual([200, false]);
  rmSync(join(hub.dataDir, 'secret-key'));
  expect(await signIn()).toMatchObject({ status: 503, isIn: false });
  expect((await passwd([CYD], `${PASSWORD}\n`)).code).toBe(0);
  expect(await signIn()).toMatchObject({ status: 503, isIn: false });

  expect((await passwd([CYD, '--reset-factors'])).code).toBe(0);
  expect((await browser.call('/sessions')).status).toBe(401);
  expect((await half.browser.call('/auth/two-factor/verify-totp', code())).status).toBe(401);
  expect(await signIn()).toMatchObject({ status: 200, isIn: true });
});
