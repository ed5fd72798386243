// proof: browser
/** The page "What is open": says what the hub says, closes several sites, and undoes that. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startDashboard } from '../../harness/dashboard.ts';
import { forFile } from '../../harness/for-file.ts';
import { flaws } from '../../harness/look.ts';
import { ask } from '../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const { stack, upstream, owner } = dashboard;
for (const [name, config] of [
  ['one', 'reverse_proxy {upstream}'],
  ['two', 'reverse_proxy {upstream}'],
  ['shut', 'respond 403'],
] as const) {
  const json = { domain: `http://${name}.example`, config, upstream };
  await ask(`${stack.hub}/vhosts`, { json, headers: owner.headers });
}
for (const [name, recipe, values] of [
  ['friends', 'allow', { networks: ['198.51.100.0/24'] }],
  ['no-robots', 'robots', {}],
] as const) {
  await ask(`${stack.hub}/policies`, { json: { name, recipe, values }, headers: owner.headers });
}
const page = await dashboard.open();

test('sites are closed together, and one undo opens them again', async () => {
  await page.goto('/doors');
  const rows = page.getByRole('list', { name: 'Sites' }).locator(':scope > li');
  await rows.first().waitFor();
  expect(await rows.locator('.tag').allTextContents()).toEqual([
    '○ Anyone',
    '○ Anyone',
    '● Nobody',
  ]);
  expect(await page.getByRole('button', { name: /^Close/ }).count()).toBe(0);
  for (const name of ['one', 'two']) await page.getByLabel(`Select http://${name}.example`).check();
  await page.getByRole('button', { name: 'Ask the last week' }).click();
  await page.getByText('No requests of the last 7 days to compare.').waitFor();
  expect(await flaws(page)).toEqual([]);
  expect(stack.readProxyfile()).not.toContain('outside');

  await page.getByRole('button', { name: 'Close 2 sites' }).click();
  await page.getByText('2 sites closed').waitFor();
  expect(stack.readProxyfile()).toContain('outside');
  expect(await flaws(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 sites closed').waitFor({ state: 'detached' });
  expect(stack.readProxyfile()).not.toContain('outside');
});

test('another policy closes a site, but none that decides about nobody', async () => {
  await page.goto('/doors');
  await page.getByLabel('Select http://one.example').check();
  const choice = page.getByLabel('Who gets in to 1 site');
  await choice.getByText('By the policy friends').waitFor({ state: 'attached' });
  expect(await choice.locator('option').allTextContents()).toEqual([
    'Only your own network',
    'By the policy friends',
  ]);
  await choice.selectOption('friends');
  expect(await flaws(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close 1 site' }).click();
  await page.getByText('Now the policy friends decides who gets in.').waitFor();
  expect(stack.readProxyfile()).toContain('198.51.100.0/24');

  await page.getByLabel('Select http://one.example').check();
  await page.getByRole('button', { name: 'Close 1 site' }).click();
  await page.getByText('These sites have that policy already.').waitFor();
});
