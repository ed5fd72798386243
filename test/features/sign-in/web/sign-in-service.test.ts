// proof: browser
/** Signing in at a sign-in service (OpenID Connect) in a real browser, and linking an account of it. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { codeOf, secretIn } from '../../../harness/second-factor.ts';
import { startSignInService } from '../../../harness/sign-in-service.ts';
import { ask, freePort, startStack } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, signOut } from '../../../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

/** As an operator may write it. */
const NAME = 'Home & <b>Garden</b>';

const card = () => page.getByRole('region', { name: NAME, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });

const port = freePort();
const baseURL = `http://localhost:${port}`;
const service = await forFile(startSignInService(baseURL));
const settings = { HUB_PORT: String(port), OIDC_NAME: NAME, ...service.settings };
const dashboard = await forFile(startDashboard(() => startStack(settings)));
const page = await dashboard.open({ baseURL });

test('a stranger comes back with the reason, and to the page that was wanted', async () => {
  await page.goto('/account?from=here');
  await button(`Sign in with ${NAME}`).click();
  await page.getByRole('alert').getByText('No account here is linked to yours').waitFor();
  const { pathname, search } = new URL(page.url());
  expect(pathname + search).toBe('/account?from=here');
  expect(await page.locator('main b').count()).toBe(0);
});

test('an account is linked from a session, and then signs in', async () => {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
  await card().getByText('No account is linked.').waitFor();
  await card().getByRole('button', { name: 'Link an account …' }).click();
  await card().getByText('ada-4711').waitFor();
  await signOut(page);
  await button(`Sign in with ${NAME}`).click();
  await card().getByText('ada-4711').waitFor();
});

test('an invitation makes an account without a password', async () => {
  const { stack, owner } = dashboard;
  const json = { role: 'editor', email: null };
  const made = await ask<{ url: string }>(`${stack.hub}/invitations`, { ...owner, json });
  Object.assign(service.person, { sub: 'grace-1', name: 'Grace', email: 'grace@id.example' });
  await page.context().clearCookies();
  await page.goto(`/${new URL(made.body.url).hash}`);
  await button(`Continue with ${NAME}`).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Caddy options' }).waitFor();
  await page.goto('/account');
  await card().getByText('grace-1').waitFor();
  expect(await page.getByRole('region', { name: 'Password', exact: true }).count()).toBe(0);
  await card().getByRole('button', { name: 'Unlink grace-1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
});

test('an account with a second factor is asked for that, too', async () => {
  const { stack, owner } = dashboard;
  const call = <T>(path: string, json: object) =>
    ask<T>(`${stack.hub}/auth/two-factor/${path}`, { ...owner, json });
  const { body } = await call<{ totpURI: string }>('enable', { password: PASSWORD });
  const secret = secretIn(body.totpURI);
  expect((await call('verify-totp', { code: codeOf(secret) })).status).toBe(200);
  Object.assign(service.person, { sub: 'ada-4711', name: 'Ada', email: 'ada@id.example' });
  await page.context().clearCookies();
  await page.goto('/account');
  await button(`Sign in with ${NAME}`).click();
  await page.getByLabel('Code from your app').fill(codeOf(secret, 1));
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('Enter');
  await card().getByText('ada-4711').waitFor();
  expect((await call('disable', { password: PASSWORD })).status).toBe(200);
});

test('an account that is unlinked no longer signs in', async () => {
  Object.assign(service.person, { sub: 'ada-4711', name: 'Ada', email: 'ada@id.example' });
  await page.context().clearCookies();
  await page.goto('/account');
  await button(`Sign in with ${NAME}`).click();
  await card().getByRole('button', { name: 'Unlink ada-4711' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await card().getByText('No account is linked.').waitFor();
  await signOut(page);
  await button(`Sign in with ${NAME}`).click();
  await page.getByRole('alert').getByText('No account here is linked to yours').waitFor();
});
