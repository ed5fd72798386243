// proof: browser
/** Who has an account and what they may do: the users page, and the proof that its changes need. */
import { Database } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { PASSWORD, startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const HOSTILE = '<img src=x onerror=alert(1)>';
const GRACE = 'grace@example.org';

const signIn = (email: string, password = PASSWORD) =>
  ask<{ token: string; user: { role: string } }>(`${stack.hub}/auth/sign-in/email`, {
    json: { email, password },
  });
const card = (name: string) => page.getByRole('region', { name, exact: true });
const entry = (text: string) =>
  page.getByRole('list', { name: 'Accounts' }).getByRole('listitem').filter({ hasText: text });
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });
const roleOf = async (email: string) => (await signIn(email)).body.user.role;

/** As if all sessions had been proved long ago. */
function age(): void {
  const db = new Database(join(stack.dataDir, 'signalbox.db'));
  db.run('UPDATE sessions SET proved_at = 0');
  db.close();
}

const dashboard = await forFile(startDashboard(undefined, HOSTILE));
const { stack } = dashboard;
const page = await dashboard.open();
await page.goto('/users');
await entry('ada@example.org').waitFor();

test('keeps the last owner, and says why', async () => {
  const last = entry('ada@example.org');
  await last.getByText('make somebody else an owner first').waitFor();
  expect(await last.getByRole('combobox').isDisabled()).toBe(true);
  expect(await last.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  expect(await last.textContent()).toContain(HOSTILE);
  expect(await page.locator('main img').count()).toBe(0);
});

test('refuses an address in use beside its field, and nothing typed is lost', async () => {
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('form', { name: 'New user' });
  await form.getByLabel('Name').fill('Grace');
  await form.getByLabel('Email').fill('ada@example.org');
  await form.getByLabel('Password').fill(PASSWORD);
  await form.getByLabel('Role').selectOption('editor');
  await form.getByRole('button', { name: 'Add this user' }).click();
  await form.getByText('An account with this email address already exists.').waitFor();
  expect(await form.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
  expect(await form.getByLabel('Password').inputValue()).toBe(PASSWORD);
  await form.getByLabel('Email').fill(GRACE);
  await form.getByRole('button', { name: 'Add this user' }).click();
  await entry(GRACE).waitFor();
  expect(await roleOf(GRACE)).toBe('editor');
});

test('changes a role, after which the other owner can go', async () => {
  await page.getByLabel(`Role of ${GRACE}`).selectOption('owner');
  await until(async () => (await roleOf(GRACE)) === 'owner', 'the role');
  const first = entry('ada@example.org');
  await first.getByText('make somebody else an owner first').waitFor({ state: 'detached' });
  expect(await first.getByRole('combobox').isDisabled()).toBe(false);
  await page.getByLabel(`Role of ${GRACE}`).selectOption('viewer');
  await first.getByText('make somebody else an owner first').waitFor();
  expect(await roleOf(GRACE)).toBe('viewer');
});

test('asks for a proof when the last one is old, and goes on with what was being done', async () => {
  age();
  await page.getByLabel(`Role of ${GRACE}`).selectOption('editor');
  const proof = dialog('Prove who you are');
  await proof.waitFor();
  await proof.getByLabel('Password').fill('not the passphrase');
  await page.keyboard.press('Enter');
  await proof.getByText('Wrong password.').waitFor();
  expect(await roleOf(GRACE)).toBe('viewer');
  await proof.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await proof.waitFor({ state: 'detached' });
  await until(async () => (await roleOf(GRACE)) === 'editor', 'the role');
  // For an hour it is not asked again.
  await page.getByLabel(`Role of ${GRACE}`).selectOption('viewer');
  await until(async () => (await roleOf(GRACE)) === 'viewer', 'the role');
  expect(await proof.count()).toBe(0);
});

test('changes nothing if the proof is not given, and says so', async () => {
  age();
  await page.getByLabel(`Role of ${GRACE}`).selectOption('owner');
  await dialog('Prove who you are').getByRole('button', { name: 'Cancel' }).click();
  await entry(GRACE).getByText('Prove who you are again').waitFor();
  expect(await page.getByLabel(`Role of ${GRACE}`).inputValue()).toBe('viewer');
  expect(await roleOf(GRACE)).toBe('viewer');
});

test('ends the sessions of another account', async () => {
  const { token } = (await signIn(GRACE)).body;
  const isIn = async () =>
    (await ask(`${stack.hub}/sessions`, { headers: { Authorization: `Bearer ${token}` } }))
      .status === 200;
  expect(await isIn()).toBe(true);
  await page.getByRole('button', { name: `Sessions of ${GRACE}` }).click();
  const sessions = dialog('Sessions of Grace').getByRole('listitem');
  await sessions.first().waitFor();
  const all = await sessions.count();
  await sessions
    .first()
    .getByRole('button', { name: /^End the session/ })
    .click();
  // The test before gave no proof.
  await dialog('Prove who you are').getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  for (let left = all - 1; left > 0; left -= 1) {
    await until(async () => (await sessions.count()) === left, 'one session less');
    await sessions
      .first()
      .getByRole('button', { name: /^End the session/ })
      .click();
  }
  await dialog().getByText('Not signed in anywhere.').waitFor();
  expect(await isIn()).toBe(false);
  await page.keyboard.press('Escape');
  age();
});

test('removes an account only after typing its address, above which the proof is asked', async () => {
  await page.getByRole('button', { name: `Remove ${GRACE}` }).click();
  const confirm = dialog().getByRole('button', { name: 'Remove user' });
  const typed = dialog().getByLabel(`Type ${GRACE} to confirm`);
  await typed.fill('grace@example.com');
  expect(await confirm.isDisabled()).toBe(true);
  await typed.fill(GRACE);
  await confirm.click();
  await dialog('Prove who you are').getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await entry(GRACE).waitFor({ state: 'detached' });
  expect((await signIn(GRACE)).status).toBe(401);
});

describe('invitations', () => {
  const invite = async (email: string) => {
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const form = page.getByRole('form', { name: 'New invitation' });
    await form.getByLabel('Role').selectOption('editor');
    await form.getByLabel('Email').fill(email);
    await form.getByRole('button', { name: 'Make the link' }).click();
  };
  const invited = () => page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');

  test('for an address in use are refused beside it', async () => {
    await invite('ada@example.org');
    await page.getByText('An account with this email address already exists.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  test('are links that are shown once, and with which somebody makes an account', async () => {
    await invite('');
    const link = (await dialog('Your invitation').locator('.secret code').textContent()) ?? '';
    expect(new URL(link).hash).toStartWith('#invitation=');
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(link);
    await invited().filter({ hasText: 'anyone with the link' }).getByText('editor').waitFor();

    const guest = await dashboard.open();
    await guest.context().clearCookies();
    await guest.goto(link);
    await guest.getByText('You are invited to this hub.').waitFor();
    expect(guest.url()).not.toContain('invitation');
    await guest.getByLabel('Name').fill('Invited');
    await guest.getByLabel('Email').fill('invited@example.org');
    await guest.getByLabel('Password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Create account' }).click();
    await guest.getByRole('link', { name: 'Settings' }).click();
    await guest.getByRole('link', { name: 'Caddy options' }).waitFor();
    expect(await guest.getByRole('link', { name: 'Users' }).count()).toBe(0);
    expect(await roleOf('invited@example.org')).toBe('editor');

    const late = await dashboard.open();
    await late.context().clearCookies();
    await late.goto(link);
    await late.getByLabel('Name').fill('Late');
    await late.getByLabel('Email').fill('late@example.org');
    await late.getByLabel('Password').fill(PASSWORD);
    await late.getByRole('button', { name: 'Create account' }).click();
    await late.getByText('This invitation is wrong, used or expired').waitFor();
    expect(await late.getByLabel('Name').inputValue()).toBe('Late');
  });

  test('can be withdrawn', async () => {
    await invite(GRACE);
    const link = (await dialog('Your invitation').locator('.secret code').textContent()) ?? '';
    await page.keyboard.press('Escape');
    await invited()
      .getByRole('button', { name: `Withdraw the invitation of ${GRACE}` })
      .click();
    await card('Invitations').getByText(GRACE).waitFor({ state: 'detached' });
    const invitation = new URL(link).hash.replace('#invitation=', '');
    const json = { name: 'Grace', email: GRACE, password: PASSWORD, invitation };
    expect((await ask(`${stack.hub}/auth/sign-up/email`, { json })).status).toBe(401);
  });
});

test('has forms of which a cancelled one gives the focus back', async () => {
  const open = page.getByRole('button', { name: 'Add user' });
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await open.click();
  await card('Accounts').getByRole('button', { name: 'Cancel' }).click();
  expect(await open.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await card('Accounts').count()).toBe(1);
});

describe('the security log', () => {
  const entries = () => page.getByRole('list', { name: 'Entries' }).getByRole('listitem');

  test('says who did what, from where, and what was refused', async () => {
    await signIn(`${HOSTILE}@example.org`, 'wrong');
    await signIn('ada@example.org', 'wrong');
    await page.getByRole('link', { name: 'Security log' }).click();
    const refused = entries().filter({ hasText: 'refused' }).first();
    await refused.getByText('Sign-in').waitFor();
    expect(await refused.textContent()).toContain('127.0.0.1');
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('is filtered by kind, which the address keeps', async () => {
    await page.getByLabel('Kind').selectOption('Role');
    await until(() => new URL(page.url()).searchParams.get('kind') === 'role', 'the filter');
    await entries().filter({ hasText: GRACE }).first().waitFor();
    await page.reload();
    await entries().first().waitFor();
    const all = await entries().locator('strong').allTextContents();
    expect(new Set(all)).toEqual(new Set(['Role']));
    await page.getByLabel('Kind').selectOption('Certificate');
    await page.getByText('There are no such entries.').waitFor();
  });

  test('has older pages', async () => {
    const { headers } = dashboard.owner;
    for (let at = 0; at < 30; at += 1) {
      const json = { name: `token ${at}` };
      const { body } = await ask<{ id: string }>(`${stack.hub}/tokens`, { headers, json });
      await ask(`${stack.hub}/tokens/${body.id}`, { method: 'DELETE', headers });
    }
    await page.goto('/security-log?kind=token');
    const older = page.getByRole('button', { name: 'Older entries' });
    await older.waitFor();
    expect(await entries().count()).toBe(50);
    await older.click();
    await until(async () => (await entries().count()) === 60, 'the older entries');
    expect(await older.count()).toBe(0);
    await page.goto('/users');
  });
});

test('lets an owner step down only after a question, and is then no longer theirs', async () => {
  const { headers } = dashboard.owner;
  const json = { name: 'Next', email: 'next@example.org', password: PASSWORD, role: 'owner' };
  expect((await ask(`${stack.hub}/users`, { headers, json })).status).toBe(201);
  await page.reload();
  await page.getByLabel('Role of ada@example.org').selectOption('viewer');
  await dialog('Give up your role?').getByRole('button', { name: 'Become a viewer' }).click();
  await page.getByText('This page is for the role “owner”.').waitFor();
  await page.getByRole('link', { name: 'Notifications' }).waitFor();
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Caddy options' }).count()).toBe(0);
});

test('removing your own account signs you out', async () => {
  const next = await dashboard.open();
  const { token } = (await signIn('next@example.org')).body;
  await next.context().clearCookies();
  const url = new URL(stack.hub).origin;
  await next.context().addCookies([{ name: 'signalbox_session', value: token, url }]);
  const json = { name: 'Last', email: 'last@example.org', password: PASSWORD, role: 'owner' };
  await ask(`${stack.hub}/users`, { headers: { Authorization: `Bearer ${token}` }, json });
  await next.goto('/users');
  await next.getByRole('button', { name: 'Remove next@example.org' }).click();
  const question = next.getByRole('dialog');
  await question.getByText('You will be signed out at once').waitFor();
  await question.getByLabel('Type next@example.org to confirm').fill('next@example.org');
  await question.getByRole('button', { name: 'Remove user' }).click();
  await next.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await signIn('next@example.org')).status).toBe(401);
});
