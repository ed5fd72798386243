// proof: browser
/** Sites and policies that a file keeps: what the dashboard says of them, and of what was changed by hand. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const call = <T>(path: string, json?: unknown, method?: string) => {
  const { headers } = dashboard.owner;
  return ask<T>(`${dashboard.stack.hub}${path}`, { headers, json, ...(method && { method }) });
};
const apply = (more: object = {}) =>
  call('/apply', {
    source: 'home of Ada',
    policies: { lan: { recipe: 'allow', values: { networks: ['private_ranges'] } } },
    sites: {
      'http://app.example': { config: 'respond app', policies: ['lan'] },
      'http://blog.example': { config: 'respond blog', tags: ['public'] },
    },
    ...more,
  });
const kept = () => page.getByText('its next apply undoes what you change here');
const mark = () => page.getByRole('link', { name: 'from home of Ada', exact: true });
const differences = () => page.getByText('differs from what it applied');

const dashboard = await forFile(startDashboard());
const json = { domain: 'http://hand.example', config: 'respond hand' };
expect((await call('/vhosts', json)).status).toBe(201);
expect((await apply()).status).toBe(200);
const { body: sites } = await call<{ id: number; domain: string }[]>('/vhosts');
const { body: policies } = await call<{ id: number }[]>('/policies');
const idOf = (domain: string) => sites.find((site) => site.domain === domain)?.id ?? 0;
const ids = {
  app: idOf('http://app.example'),
  hand: idOf('http://hand.example'),
  lan: policies[0]?.id ?? 0,
};
const page = await dashboard.open();

test('nothing is said of a site that people keep, or of sites that are as their file says', async () => {
  await page.goto(`/sites/${ids.hand}/edit`);
  await page.getByLabel('Domain').waitFor();
  expect(await page.getByText('Managed by').count()).toBe(0);
  await page.goto('/sites/new');
  await page.getByLabel('Domain').waitFor();
  expect(await page.getByText('Managed by').count()).toBe(0);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Last changes' }).waitFor();
  expect(await differences().count()).toBe(0);
});

test('the forms of a site and of a policy say what keeps them', async () => {
  for (const path of [`/sites/${ids.app}/edit`, `/policies/${ids.lan}`]) {
    await page.goto(path);
    await kept().waitFor();
    expect(await kept().textContent()).toStartWith('Managed by home of Ada: ');
  }
});

test('the lists mark them, and a mark leads to the sites of its source', async () => {
  await page.goto('/policies');
  expect(await mark().getAttribute('title')).toStartWith('Managed by home of Ada');
  await page.goto('/sites');
  await page.getByRole('link', { name: 'hand.example' }).waitFor();
  expect(await mark().count()).toBe(2);
  await mark().first().click();
  await page.getByText('2 of 3 sites').waitFor();
  expect(await page.getByRole('link', { name: 'hand.example' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Managed by home of Ada' }).click();
  await page.getByRole('link', { name: 'hand.example' }).waitFor();
});

test('the changelog says which source made a change, and not that it was a token', async () => {
  await page.goto('/changelog');
  const applied = page.locator('.change', { hasText: 'http://app.example' }).first();
  expect(await applied.locator('.change-who').textContent()).toContain(', by apply of home of Ada');
  expect(await page.getByText('using the token').count()).toBe(0);
  const { body } = await call<{ token: string }>('/tokens', { name: 'CI', scope: 'write' });
  const json = { upstream: '127.0.0.1:9' };
  const headers = { Authorization: `Bearer ${body.token}` };
  const path = `${dashboard.stack.hub}/vhosts/${ids.hand}`;
  expect((await ask(path, { method: 'PUT', json, headers })).status).toBe(200);
  await page.reload();
  await page.getByText('using the token').waitFor();
});

test('what was changed by hand is said, without being a problem, until it is applied again', async () => {
  const problems = (await call<{ problems: object[] }>('/status')).body.problems.length;
  expect((await call(`/vhosts/${ids.app}`, { config: 'respond other' }, 'PUT')).status).toBe(200);
  await page.goto('/');
  await differences().waitFor();
  expect(await differences().textContent()).toContain(
    '1 of 3 sites and policies managed by home of Ada differs from what it applied: its next apply undoes that.',
  );
  expect((await call<{ problems: object[] }>('/status')).body.problems).toHaveLength(problems);
  await page.getByRole('button', { name: /open problems?$/ }).click();
  await page.locator('.bell').getByText('differs from what it applied').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Changelog', exact: true }).last().click();
  await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
  expect((await apply()).status).toBe(200);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Last changes' }).waitFor();
  await differences().waitFor({ state: 'detached' });
});
