// proof: browser
/** Caddy's program in the dashboard: it is shown, exchanged, refused and gone back to. The agent's part is a stand-in. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../harness/browser.ts';
import { type ProgramAgent, refusal, startProgramAgent } from '../../../harness/program-agent.ts';
import { BROWSER_TIMEOUT_MS, type Visit, visit } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let all: ProgramAgent;
let browser: Browser;
let seen: Visit;
let page: Page;
const card = () => page.getByRole('region', { name: 'Caddy’s program' });
const confirm = () => page.getByRole('dialog').getByRole('button', { name: 'Exchange it' }).click();
async function choose(text: string): Promise<void> {
  await card().getByText('Use another program').click();
  const file = {
    name: 'caddy-new',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(text),
  };
  await card().getByLabel('File').setInputFiles(file);
  await card().getByRole('button', { name: 'Exchange …' }).click();
  await page.getByRole('dialog').getByText('caddy-new starts beside').waitFor();
  await confirm();
}

beforeAll(async () => {
  all = await startProgramAgent();
  browser = await launchBrowser();
  seen = await visit(browser, { hub: all.hub() }, all.owner.token);
  page = seen.page;
  await page.goto('/proxies/local');
});
afterAll(async () => {
  await browser?.close();
  await all?.stop();
  expect(seen.browserErrors).toEqual([]);
});

test('shows the program with its holes, and a refusal with its differences', async () => {
  await card().getByText('Caddy 2.6.2').waitFor();
  await card()
    .getByText(/known holes; 2\.\d+\.\d+ or newer has none/)
    .waitFor();
  const differences = [{ domain: '<i>a.example</i>', reason: 'GET / answered 502 instead of 200' }];
  all.answers(() => refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { differences }));
  await choose('2.11.7');
  const alert = card().getByRole('alert');
  await alert.getByText('It is not as good.').waitFor();
  await alert.getByText('<i>a.example</i>').waitFor();
  expect(all.state.current.version).toBe('2.6.2');
});

test('exchanges it, says what is otherwise, and goes back', async () => {
  all.answers('begins');
  await page.reload();
  await choose('2.11.7');
  // What it found stays, although the page looks again meanwhile.
  await card().getByText('On probation for').waitFor();
  all.state.probation = null;
  await card().getByText('On probation for').waitFor({ state: 'detached' });
  await card().getByText('The new program runs').waitFor();
  await card().getByText('the header Via is another').waitFor();
  await card().getByText('Not compared: websockets (2)').waitFor();
  all.answers('works');
  await card().getByText('Kept: Caddy 2.6.2').waitFor();
  await card().getByRole('button', { name: 'Go back …' }).click();
  await confirm();
  await card().getByText('Kept: Caddy 2.11.7').waitFor();
  await page.goto('/changelog');
  await page.getByText('Caddy 2.6.2 → 2.11.7').first().waitFor();
  await page.getByText('Caddy 2.11.7 → 2.6.2').first().waitFor();
});

test('on probation, nothing else can be chosen', async () => {
  all.state.probation = { until: new Date(Date.now() + 50_000).toISOString() };
  await page.goto('/proxies/local');
  await card()
    .getByText(/On probation for \d+ more seconds/)
    .waitFor();
  expect(await card().getByRole('button').count()).toBe(0);
});
