// proof: browser
/** How a site answered its check, on its page and in the list. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { failingChecks, uptime } from '../../../../src/features/uptime/tables.ts';
import { openDatabase } from '../../../../src/hub/db/open.ts';
import type { Vhost } from '../../../../src/web/lib/types.ts';
import { shiftOf, watchShifts } from '../../../browser/shifts.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, hasFeature, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const HOUR_MS = 3_600_000;
const reason = 'GET / answered 502 instead of a status from 200 to 299';

/** As if the site had been watched for a day, and had failed for the last two hours. */
function failSince() {
  const opened = openDatabase(dashboard.stack.dataDir);
  const now = Math.floor(Date.now() / HOUR_MS);
  const of = { vhostId: watched.id, asked: 60, p50: 12, p95: 40 };
  const hours = Array.from({ length: 30 }, (_, at) => ({ ...of, hour: now - at, failed: 0 }));
  opened.db
    .insert(uptime)
    .values(hours.map((one, at) => ({ ...one, failed: at < 2 ? 60 : 0 })))
    .run();
  const since = new Date(Date.now() - 2 * HOUR_MS);
  opened.db.insert(failingChecks).values({ vhostId: watched.id, agentId: 1, since, reason }).run();
  opened.close();
}

const region = (name: string) => page.getByRole('region', { name });

const dashboard = await forFile(startDashboard());
const { stack, owner, upstream } = dashboard;
const made = await ask<Vhost>(`${stack.hub}/vhosts`, {
  headers: owner.headers,
  json: {
    domain: 'http://watched.example',
    upstream,
    config: 'reverse_proxy {upstream}',
    check: { path: '/' },
  },
});
const watched = made.body;
// What is looked at is of the hour that it is.
await until(() => Date.now() % HOUR_MS < HOUR_MS - 60_000, 'the next hour', 70_000);
await stack.restart(failSince);
const page = await dashboard.open();
await watchShifts(page);

test('a site’s page says that the check fails, since when and why, and how the site answered before', async () => {
  await page.goto(`/sites/${watched.id}`);
  const fails = region('Live state').getByRole('listitem').filter({ hasText: 'The check fails' });
  await fails.getByText(reason).waitFor();
  const answers = region('Check');
  await answers.getByText('GET / answers 2xx within 5 s, asked every 60 s').waitFor();
  await answers.getByText('91.66 %', { exact: true }).waitFor();
  const words = await answers.locator('.visually-hidden').allTextContents();
  expect(words[0]).toStartWith('91.66 % of 1,440 answers right, median 12 ms, p95 up to 40 ms.');
  expect(words[0]).toContain(': 60 of 60 wrong; ');
  expect(words[1]).toStartWith('93.33 % of 1,800 answers right');
  if (hasFeature('statistics')) await page.locator('.log-plot svg').waitFor();
  expect(await shiftOf(page)).toBeLessThan(0.1);
  await page.goto('/sites');
  const row = page.getByRole('row').filter({ hasText: 'watched.example' });
  await row.getByText('failing', { exact: true }).waitFor();
  await row.getByText(reason).waitFor();
  await row.getByRole('img', { name: /^Last 24 hours: failing / }).waitFor();
});
