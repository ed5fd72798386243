// proof: browser
/** "Explain" on the page of a site: what stops a request, and the cure that is shown, published and asked again. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { selfSigned } from '../../../harness/certificate.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile, serverForFile } from '../../../harness/for-file.ts';
import { ask, freePort } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();
const { headers } = dashboard.owner;
const make = async (domain: string, upstream: string) => {
  const json = { domain, upstream, config: 'reverse_proxy {upstream}' };
  const { body } = await ask<{ id: number }>(`${dashboard.stack.hub}/vhosts`, { json, headers });
  await page.goto(`/sites/${body.id}`);
};
const panel = () => page.getByRole('region', { name: 'Does it work?' });
const explain = () => panel().getByRole('button', { name: 'Explain' }).click();

test('of a site that fails, the broken step is open, and any other one can be', async () => {
  await make('http://closed.example', `127.0.0.1:${freePort()}`);
  await explain();
  await panel().getByText('It fails.').waitFor();
  const steps = panel().getByRole('list').getByRole('button');
  expect(await steps.count()).toBe(7);
  const open = panel().getByRole('button', { expanded: true });
  expect(await open.allInnerTexts()).toEqual(['Connection: fails']);
  await panel().getByRole('button', { name: 'Port' }).click();
  expect(await open.allInnerTexts()).toEqual(['Port: works']);
  await panel().getByText('What to do:').waitFor();
});
