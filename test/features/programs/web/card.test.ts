// proof: browser
/** Caddy's program in the dashboard: it is shown, refused and changed. The agent's part is a stand-in. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../harness/browser.ts';
import {
  NEXT,
  type ProgramAgent,
  refusal,
  startProgramAgent,
} from '../../../harness/program-agent.ts';
import { BROWSER_TIMEOUT_MS, type Visit, visit } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let all: ProgramAgent;
let browser: Browser;
let seen: Visit;
let page: Page;
const card = () => page.getByRole('region', { name: 'Caddy’s program' });
async function restart(name: string): Promise<void> {
  await card().getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restart it' }).click();
}

beforeAll(async () => {
  all = await startProgramAgent();
  browser = await launchBrowser();
  seen = await visit(browser, { hub: all.hub() }, all.owner.token);
  page = seen.page;
});
afterAll(async () => {
  await browser?.close();
  await all?.stop();
  expect(seen.browserErrors).toEqual([]);
});

test('shows the program with its holes, what the other one does otherwise, and a refusal', async () => {
  all.state.next = { ...NEXT, differs: ['<i>a.example</i>: GET / gets 404 instead of 403'] };
  const detail = '<i>a.example</i>: GET / gets 502 instead of 200';
  all.answers(() => refusal(502, 'PROGRAM_REFUSED', 'It is not as good.', { words: detail }));
  await page.goto('/proxies/local');
  await card().getByText('Caddy 2.6.2').waitFor();
  await card()
    .getByText(/known holes; 2\.\d+\.\d+ or newer has none/)
    .waitFor();
  await card().getByText('<i>a.example</i>: GET / gets 404 instead of 403').waitFor();
  await restart('Change to Caddy 2.11.7 …');
  const alert = card().getByRole('alert');
  await alert.getByText('It is not as good.').waitFor();
  await alert.getByText(detail).waitFor();
  expect(all.state.current?.version).toBe('2.6.2');
});

test('changes to the other one, and restarts it', async () => {
  all.reset();
  await page.goto('/proxies/local');
  await restart('Change to Caddy 2.11.7 …');
  await card().getByText('Caddy 2.11.7', { exact: true }).waitFor();
  await restart('Restart Caddy …');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await card().getByRole('button', { name: 'Restart Caddy …' }).waitFor();
  expect(all.restarts()).toBe(2);
});
