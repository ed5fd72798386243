// proof: browser
/** Passkeys in a real browser with an authenticator of its own: added, used to sign in and as a proof, removed. */
import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { BROWSER_TIMEOUT_MS, signOut } from '../../../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const card = () => page.getByRole('region', { name: 'Passkeys', exact: true });
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function giveWord(): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
}
async function add(name: string): Promise<void> {
  await card().getByRole('button', { name: 'Add a passkey …' }).click();
  await dialog().getByLabel('Passkey name').fill(name);
  await dialog().getByRole('button', { name: 'Continue' }).click();
}

const dashboard = await forFile(startDashboard());
const { port } = new URL(dashboard.stack.hub);
// Without HUB_ORIGINS, passkeys are for this name.
const page = await dashboard.open({ baseURL: `http://localhost:${port}` });
const browser = await page.context().newCDPSession(page);
await browser.send('WebAuthn.enable');
const options = {
  ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};
const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', { options });
await page.goto('/account');

test('whoever has none is told so, and signs in with the password', async () => {
  await button('Sign in with a passkey').click();
  await page.getByText('The browser gave no passkey.').waitFor();
  await giveWord();
  await card().getByText('You have no passkeys.').waitFor();
});

test('is added under a name, and one device has one only', async () => {
  await add('Laptop <b>of Ada</b>');
  await card().getByText('Laptop <b>of Ada</b>').waitFor();
  await add('The same again');
  await dialog().getByText('This device already has a passkey').waitFor();
  await page.keyboard.press('Escape');
  expect(await card().getByRole('listitem').count()).toBe(1);
});

test('signs in without a password, and is then offered first', async () => {
  await signOut(page);
  const buttons = page.locator('main.door').getByRole('button');
  expect(await buttons.first().textContent()).toBe('Sign in with a passkey');
  await buttons.first().click();
  await page.getByRole('heading', { name: 'Account' }).waitFor();
});

test('without its user does not', async () => {
  await signOut(page);
  await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await button('Sign in with a passkey').click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
  await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await button('Sign in with a passkey').click();
  await page.getByRole('heading', { name: 'Account' }).waitFor();
});

test('proves who you are, after which what was being done goes on', async () => {
  const db = new Database(join(dashboard.stack.dataDir, 'signalbox.db'));
  db.run('UPDATE sessions SET proved_at = 0');
  db.close();
  await button('New token').click();
  await page.getByLabel('Token name').fill('proved');
  await button('Create token').click();
  await dialog('Prove who you are').getByRole('button', { name: 'Use a passkey' }).click();
  await dialog('Your new token').waitFor();
  await page.keyboard.press('Escape');
});

test('is renamed, and removed', async () => {
  await card()
    .getByRole('button', { name: /^Rename/ })
    .click();
  await dialog().getByLabel('Passkey name').fill('Phone');
  await dialog().getByRole('button', { name: 'Continue' }).click();
  await card().getByRole('button', { name: 'Remove the passkey Phone' }).click();
  await dialog().getByRole('button', { name: 'Remove passkey' }).click();
  await card().getByText('You have no passkeys.').waitFor();
  await signOut(page);
  await button('Sign in with a passkey').click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
});
