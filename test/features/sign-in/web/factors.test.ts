// proof: browser
/** Signing in with more than a password: codes of an app, recovery codes and passkeys, in a real browser. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { codeOf, secretIn } from '../../../harness/second-factor.ts';
import { ask } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, signOut, textOf } from '../../../harness/visit.ts';

setDefaultTimeout(3 * BROWSER_TIMEOUT_MS);

let secret: string;
let codes: string[];

const card = (name: string) => page.getByRole('region', { name, exact: true });
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });
const signIn = () =>
  ask<{ token?: string; twoFactorRedirect?: boolean }>(`${stack.hub}/auth/sign-in/email`, {
    json: { email: 'ada@example.org', password: PASSWORD },
  });

/** Each step is accepted once: the next code, which is one step ahead. */
let steps = -1;
const nextCode = () => {
  steps += 1;
  return codeOf(secret, steps);
};

async function giveWord(): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const dashboard = await forFile(startDashboard());
const { stack } = dashboard;
const page = await dashboard.open();
await page.goto('/account');

describe('a second factor', () => {
  test('is set up with a QR code, the secret as text and a first code', async () => {
    await card('Second factor').getByRole('button', { name: 'Set up …' }).click();
    await dialog().getByLabel('Password').fill('not the passphrase');
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await dialog().getByText('Wrong password.').waitFor();
    await dialog().getByLabel('Password').fill(PASSWORD);
    const made = page.waitForResponse('**/api/auth/two-factor/enable');
    await dialog().getByRole('button', { name: 'Continue' }).click();
    const { totpURI } = (await (await made).json()) as { totpURI: string };
    secret = secretIn(totpURI);
    await dialog().getByRole('img', { name: 'QR code' }).waitFor();
    const shown = (await dialog().locator('.secret code').textContent()) ?? '';
    expect(shown.replaceAll(' ', '')).toBe(secret);
    const code = dialog().getByLabel('Code from your app');
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
    await code.fill('000 000');
    await dialog().getByRole('button', { name: 'Turn on' }).click();
    await dialog().getByText('Wrong code.').waitFor();
    expect((await signIn()).body.twoFactorRedirect).toBeUndefined();
    await code.fill(nextCode().replace(/^.../, '$& '));
    await dialog().getByRole('button', { name: 'Turn on' }).click();
    await dialog('Your recovery codes').waitFor();
    expect((await signIn()).body).toMatchObject({ twoFactorRedirect: true });
  });

  test('comes with recovery codes that are shown once, to be copied or downloaded', async () => {
    codes = await dialog().getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    const download = page.waitForEvent('download');
    await dialog().getByRole('link', { name: 'Download' }).click();
    expect((await textOf(await download)).trim().split('\n')).toEqual(codes);
    await dialog().getByRole('button', { name: 'I have saved them' }).click();
    await card('Second factor').getByText('On: after your password').waitFor();
    for (const code of codes) expect(await page.content()).not.toContain(code);
  });

  test('is asked for after the password, and takes a pasted code with spaces', async () => {
    await signOut(page);
    await giveWord();
    const code = page.getByLabel('Code from your app');
    await code.waitFor();
    expect(await code.evaluate((input) => input === document.activeElement)).toBe(true);
    await code.fill('111 111');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong code.').waitFor();
    await code.fill(` ${nextCode().replace(/^.../, '$& ')} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  });

  test('can be replaced by a recovery code, once', async () => {
    for (const isFirst of [true, false]) {
      await signOut(page);
      await giveWord();
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(codes[0] ?? '');
      await page.keyboard.press('Enter');
      if (isFirst) await page.getByRole('heading', { name: 'Account' }).waitFor();
    }
    await page.getByText('Wrong code, or it was used before.').waitFor();
    await page.getByText('--reset-factors').waitFor();
    await page.getByLabel('Recovery code').fill(codes[1] ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  });

  test('has new recovery codes made, after which the previous ones are worthless', async () => {
    await card('Second factor').getByRole('button', { name: 'New recovery codes …' }).click();
    await dialog().getByLabel('Password').fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Make new codes' }).click();
    await dialog('Your recovery codes').waitFor();
    const fresh = await dialog().getByRole('listitem').allTextContents();
    expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('is turned off with the password', async () => {
    await card('Second factor').getByRole('button', { name: 'Turn off …' }).click();
    await dialog().getByLabel('Password').fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Turn off' }).click();
    await card('Second factor').getByRole('button', { name: 'Set up …' }).waitFor();
    expect((await signIn()).body.token).toBeString();
  });
});

describe('the question for a second factor', () => {
  /** Stands in for an account that is older than a day. */
  const ageAccount = async (role: string) => {
    const old = new Date(Date.now() - 2 * 86_400_000).toISOString();
    await page.route('**/api/auth/get-session', async (route) => {
      const body = (await (await route.fetch()).json()) as { user: object };
      await route.fulfill({ json: { ...body, user: { ...body.user, role, createdAt: old } } });
    });
  };
  const question = () => page.getByText('Your password is all that protects this hub.');

  test('is not put on the first day, nor to others than owners', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await question().count()).toBe(0);
    await ageAccount('editor');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await question().count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('is put to an owner once a month, and not more', async () => {
    await ageAccount('owner');
    await page.reload();
    await question().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await question().count()).toBe(0);
    // A month later.
    await page.evaluate(() => {
      const before = new Date(Date.now() - 31 * 86_400_000).toISOString();
      localStorage.setItem('signalbox.factor-asked', before);
    });
    await page.reload();
    await question().waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await question().waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
