// proof: browser
/** A proxy that cannot take what is stored: every page says the same of it, and a refused site has a way around it. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { launchBrowser } from '../harness/browser.ts';
import { forFile } from '../harness/for-file.ts';
import { LACKING, sharedPreamble, startUnevenFleet } from '../harness/uneven-fleet.ts';
import { BROWSER_TIMEOUT_MS, saidByBell, unfold, visit } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const LOCK = 'basicauth {\n\tada {$NEEDED_HASH}\n}\nrespond locked';

const fleet = await forFile(startUnevenFleet());
const create = (host: string, config: string) =>
  fleet.call('POST', '/vhosts', { domain: `http://${host}`, config });
await fleet.pause(true);
await fleet.setShared(sharedPreamble('grace_period {$NEEDED}'));
await create('open.example', 'respond open');
await fleet.pause(false);
await fleet.untilState(LACKING, 'refused');
const browser = await forFile(launchBrowser());
const token = fleet.headers.Authorization?.replace('Bearer ', '') ?? '';
const seen = await visit(browser, fleet.stack, token, { viewport: { width: 1280, height: 900 } });
const page = seen.page;
afterAll(() => expect(seen.browserErrors).toEqual([]));

test('the bar, the list and the site’s page say where it is down, and why', async () => {
  await page.goto('/sites');
  await saidByBell(page, `${LACKING}: Caddy lacks stored changes`).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'open.example' });
  await row.getByRole('img', { name: `down on ${LACKING}`, exact: true }).waitFor();
  await row.getByRole('link', { name: 'open.example' }).first().click();
  const state = page.getByRole('region', { name: 'Live state' });
  await state.getByText(`Caddy does not serve this site on ${LACKING}`).waitFor();
  await state.getByText('Caddy refuses what is stored: preamble, line 5').first().waitFor();
});

const button = (name: string | RegExp) => page.getByRole('button', { name });

async function writeLock(host: string): Promise<void> {
  await page.goto('/sites/new');
  await page.getByLabel('Domain').fill(`http://${host}`);
  await unfold(page);
  await page.getByLabel('Config').fill(LOCK);
  await button('Create and publish').click();
  await button(`Pause ${LACKING}`).waitFor();
}

test('a site that only it refuses is saved on the others, or once it is paused', async () => {
  await writeLock('elsewhere.example');
  await button('Serve it on local only').click();
  await button('Create and publish').click();
  await page.getByRole('heading', { name: 'http://elsewhere.example' }).waitFor();
  const all = await fleet.call<{ domain: string; agents: string[] }[]>('GET', '/vhosts');
  expect(all.body.find(({ domain }) => domain === 'http://elsewhere.example')?.agents).toEqual([
    'local',
  ]);

  await writeLock('later.example');
  await button(`Pause ${LACKING}`).click();
  await button(`${LACKING} is paused: save again`).waitFor();
  await button('Create and publish').click();
  await page.getByRole('heading', { name: 'http://later.example' }).waitFor();
});
