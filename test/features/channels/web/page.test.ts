// proof: browser
/** The bell and the page for notifications: a channel is tried, added and tested, and an upstream dies and is back. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { shiftOf, watchShifts } from '../../../browser/shifts.ts';
import { startChatServices } from '../../../harness/chat-services.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { QUICK } from '../../../harness/pace.ts';
import { type Receiver, startReceiver } from '../../../harness/receiver.ts';
import { ask, freePort, startStack, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, problemCount } from '../../../harness/visit.ts';

/** The hub reports what has lasted for ten seconds. */
const SLOW = { timeout: 2 * BROWSER_TIMEOUT_MS };
setDefaultTimeout(3 * BROWSER_TIMEOUT_MS);

const deadPort = freePort();
const dashboard = await forFile(startDashboard(() => startStack({}, undefined, QUICK)));
const json = {
  domain: 'http://app.localhost',
  config: 'reverse_proxy {upstream}',
  upstream: `127.0.0.1:${deadPort}`,
};
await ask(`${dashboard.stack.hub}/vhosts`, { json, headers: dashboard.owner.headers });
const page = await dashboard.open({}, true);
const services = await forFile(startChatServices());
let receiver: Receiver;
afterAll(() => receiver?.stop());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const card = (name: string) => page.getByRole('region', { name });
const row = (name: string) => card('Channels').getByRole('listitem').filter({ hasText: name });
const channels = () =>
  ask<{ events: string[]; quiet: object | null; enabled: boolean }[]>(
    `${dashboard.stack.hub}/channels`,
    { headers: dashboard.owner.headers },
  );
describe('a channel', () => {
  test('is not added with an address that is none, or without any event', async () => {
    await watchShifts(page);
    await page.goto('/notifications');
    await page.getByRole('button', { name: 'Webhook' }).waitFor();
    expect(await shiftOf(page)).toBeLessThan(0.1);
    await page.getByRole('button', { name: 'Webhook' }).press('Enter');
    await page.getByLabel('Address', { exact: true }).fill('nowhere');
    await button('Add channel').click();
    await page.locator('.field-error').getByText('http').waitFor();
    await page.getByLabel('Everything').uncheck();
    const events = page.getByRole('group', { name: 'Events' }).getByRole('checkbox');
    await events.nth(1).waitFor();
    for (const box of (await events.all()).slice(1)) await box.uncheck();
    await page.getByText('Choose at least one.').waitFor();
    await button('Add channel').click();
    expect((await channels()).body).toEqual([]);
  });

  test('is tried before it is added, and says what the service answered', async () => {
    await button('Cancel').click();
    await page.getByRole('button', { name: 'Telegram' }).press('Enter');
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const { url, token, chat } = services.targets.telegram;
    await field('Server').fill(url);
    await field('Bot token').fill(token);
    await field('Chat').fill('@nobody');
    await button('Add channel').click();
    const answer = 'HTTP 400: the bot does not know the chat: write to it first';
    await page.getByRole('alert').getByText(answer).waitFor();
    expect((await channels()).body).toEqual([]);
    await field('Chat').fill(chat);
    await button('Send a test').click();
    const sent = card('Channels').getByText('Sent. Has it arrived?');
    await sent.waitFor();
    expect((await channels()).body).toEqual([]);
    await field('Chat').fill('@nobody');
    await sent.waitFor({ state: 'detached' });
    await field('Chat').fill(chat);
    await button('Send a test').click();
    await sent.waitFor();
    await button('Add channel').click();
    await row('Telegram').getByText('Sent. Has it arrived?').waitFor();
    // Saving sends no other one.
    expect(services.posted.map(({ body }) => body.chat_id)).toEqual([chat, chat]);
    expect((await channels()).body).toHaveLength(1);
  });

  test('is tried before it is changed, but not if only its name changes', async () => {
    await button('Edit Telegram').click();
    await page.getByLabel('Name').fill('Group');
    await button('Save').click();
    await row('Group').waitFor();
    expect(services.posted).toHaveLength(2);
    await button('Edit Group').click();
    await page.getByLabel('Chat', { exact: true }).fill('3');
    await button('Save').click();
    await page.getByRole('alert').getByText('HTTP 403: the bot may not write').waitFor();
    await button('Save it anyway').click();
    await button('Save it anyway').waitFor({ state: 'detached' });
    await button('Send a test').click();
    await row('Group').getByRole('alert').getByText('HTTP 403').waitFor();
    await button('Delete Group').click();
    await button('Delete channel').click();
    await row('Group').waitFor({ state: 'detached' });
  });

  test('shows the secret that the hub made for it once', async () => {
    await page.getByRole('button', { name: 'Webhook' }).press('Enter');
    await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${freePort()}/hook`);
    await page.getByLabel('Name').fill('My script');
    await page.getByLabel('Everything').uncheck();
    const events = page.getByRole('group', { name: 'Events' }).getByRole('checkbox');
    await events.nth(1).waitFor();
    for (const box of (await events.all()).slice(1)) await box.uncheck();
    await page.getByLabel('drift').check();
    await page.getByLabel('Hold messages back').check();
    await page.getByLabel('To', { exact: true }).fill('06:30');
    await button('Add channel').click();
    await page.getByRole('alert').getByText('connection refused').waitFor();
    await button('Add it anyway').click();
    await button('Copy secret').waitFor();
    const secret = (await dialog().locator('.secret').textContent()) ?? '';
    expect(secret.length).toBeGreaterThanOrEqual(16);
    await button('I have copied it').click();
    await dialog().waitFor({ state: 'detached' });
    expect(await button('Webhook').evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await page.content()).not.toContain(secret);
    const timeZone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect((await channels()).body).toMatchObject([
      { events: ['drift'], quiet: { from: '22:00', to: '06:30', timeZone } },
    ]);
    receiver = startReceiver(secret);
  });

  test('says in its place why a test failed', async () => {
    await button('Send a test').click();
    await row('My script').getByRole('alert').getByText('did not accept the message').waitFor();
  });

  test('keeps its secret when its address is changed, and delivers', async () => {
    await button('Edit My script').click();
    const address = page.getByLabel('Address', { exact: true });
    expect(await address.inputValue()).toBe('');
    expect(await address.getAttribute('placeholder')).toMatch(/^http:.*\*\*\*$/);
    await address.fill(`${receiver.url}/hook`);
    await button('Save').click();
    await address.waitFor({ state: 'detached' });
    await row('My script').getByText('Sent. Has it arrived?').waitFor();
    await button('Send a test').click();
    await card('Deliveries').getByText('My script · sent').waitFor();
    await card('Deliveries').getByText('My script · not sent: ').waitFor();
    // Before it was saved, and by the button.
    expect(receiver.received.map(({ genuine }) => genuine)).toEqual([true, true]);
  });

  test('is turned off, and deleted after a question', async () => {
    const toggle = page.getByRole('switch', { name: 'Send to My script' });
    await toggle.press('Space');
    await until(async () => (await toggle.getAttribute('aria-checked')) === 'false', 'off');
    expect((await channels()).body[0]?.enabled).toBe(false);
    await button('Delete My script').click();
    await button('Delete channel').click();
    await row('My script').waitFor({ state: 'detached' });
    expect((await channels()).body).toEqual([]);
  });
});

describe('the bell', () => {
  /** As the overview says, once it does. */
  async function counted(isThere: boolean): Promise<number> {
    const down = page.locator('main').getByRole('heading', {
      name: 'The upstream of http://app.localhost',
    });
    await down.waitFor({ ...SLOW, state: isThere ? 'visible' : 'hidden' });
    return Number.parseInt((await problemCount(page).textContent()) ?? '', 10) || 0;
  }
  const bellOf = (count: number) =>
    button(count === 0 ? 'No open problems' : `${count} open problem${count === 1 ? '' : 's'}`);

  test('counts the same problems as every other place, and leads to the site of one', async () => {
    await page.goto('/');
    const count = await counted(true);
    const bell = bellOf(count);
    await bell.waitFor();
    expect(await page.title()).toStartWith(`(${count}) `);
    const { body } = await ask<{ problems: { level: string }[] }>(`${dashboard.stack.hub}/status`, {
      headers: dashboard.owner.headers,
    });
    expect(body.problems.filter(({ level }) => level !== 'notice')).toHaveLength(count);
    await card('Problems').getByRole('heading').getByText(`${count} problem`).waitFor();
    await bell.press('Enter');
    await dialog().getByText('None yet.').waitFor();
    expect(await dialog().locator('.problem').count()).toBe(body.problems.length);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(await bell.evaluate((it) => it === document.activeElement)).toBe(true);
    await bell.press('Enter');
    await dialog().getByRole('link', { name: 'http://app.localhost' }).press('Enter');
    await page.getByRole('heading', { name: 'http://app.localhost' }).waitFor();
    expect(await dialog().isVisible()).toBe(false);
  });

  test('leaves out what somebody knows of, which stays in the list', async () => {
    await page.goto('/');
    const count = await counted(true);
    const line = card('Problems').locator('.problem', { hasText: `:${deadPort} ` });
    const unfoldKnown = () => card('Problems').locator('summary', { hasText: '1 known' }).click();
    await line.getByRole('button', { name: 'Mark as known …' }).press('Enter');
    await dialog().getByLabel('Until').selectOption('a day that you choose');
    await dialog().getByLabel('Last day').fill('2020-01-01');
    await button('Mark as known').click();
    await dialog().getByText('until a time to come').waitFor();
    await dialog().getByLabel('Until').selectOption('it is over');
    await button('Mark as known').click();
    await unfoldKnown();
    await line.getByText('Known until it is over (Ada)').waitFor();
    await bellOf(count - 1).waitFor();
    expect(await page.title()).toStartWith(count > 1 ? `(${count - 1}) ` : 'Overview');
    await page.goto('/notifications');
    const incident = card('Incidents')
      .getByRole('listitem')
      .filter({ hasText: `:${deadPort} ` });
    await incident.getByText('Known until it is over (Ada)').waitFor();
    expect(await incident.locator('.lamp-unknown').count()).toBe(1);
    await page.goto('/');
    await unfoldKnown();
    await line.getByRole('button', { name: 'Count it again' }).click();
    await bellOf(count).waitFor();
  });

  test('says that it is over, and how long it lasted', async () => {
    const upstream = Bun.serve({
      hostname: '127.0.0.1',
      port: deadPort,
      fetch: () => new Response(),
    });
    await bellOf(await counted(false)).click();
    await dialog().getByText('resolved after').waitFor();
    await dialog().getByRole('link', { name: 'All notifications' }).click();
    await card('Incidents').getByText('resolved after').waitFor();
    await upstream.stop(true);
  });
});
