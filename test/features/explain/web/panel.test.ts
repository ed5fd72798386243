// proof: browser
/** "Explain" on the page of a site: what stops a request, and the cure that is shown, published and asked again. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Vhost } from '../../../../src/web/lib/types.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, freePort } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();
const { headers } = dashboard.owner;
const { hub } = dashboard.stack;
const make = async (domain: string, upstream: string) => {
  const json = { domain, upstream, config: 'reverse_proxy {upstream}' };
  const { body } = await ask<{ id: number }>(`${hub}/vhosts`, { json, headers });
  await page.goto(`/sites/${body.id}`);
  return body.id;
};
const panel = () => page.getByRole('region', { name: 'Does it work?' });
const steps = () => panel().getByRole('list').getByRole('button');
const step = (name: string, expanded: boolean) =>
  panel().getByRole('button', { name, expanded, exact: true });
const explain = () => panel().getByRole('button', { name: 'Explain' }).click();

test('of a site that fails, the broken step is open, and any other one can be', async () => {
  await make('http://closed.example', `127.0.0.1:${freePort()}`);
  await explain();
  await panel().getByText('It fails.').waitFor();
  expect(await steps().count()).toBe(7);
  await step('Connection: fails', true).waitFor();
  await step('Port: works', false).click();
  await step('Port: works', true).waitFor();
  await step('Connection: fails', false).waitFor();
  await panel().getByText('What to do:').waitFor();
  const state = page.getByRole('region', { name: 'Live state' });
  await state.getByText('It was found to fail').waitFor();
  // Nobody can say where the service is instead.
  expect(await panel().getByRole('button', { name: 'Publish it' }).count()).toBe(0);
});

test('a cure is shown as a change, published, and the site explained again', async () => {
  const { certificate: cert, key } = await selfSigned(['nas.lan']);
  const service = await forFile(
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { cert, key },
      fetch: () => new Response('a'),
    }),
  );
  const id = await make('http://nas.example', `127.0.0.1:${service.port}`);
  await explain();
  await step('Protocol: fails', true).waitFor();
  await panel().getByLabel('Changes to the Caddyfile').getByText('https://').waitFor();
  const stored = async () => (await ask<Vhost>(`${hub}/vhosts/${id}`, { headers })).body;
  expect((await stored()).upstream).not.toContain('https');
  await panel().getByRole('button', { name: 'Publish it' }).click();
  await panel()
    .getByText(/^It works: GET/)
    .waitFor();
  expect(await steps().count()).toBe(0);
  expect(JSON.stringify(await stored())).toContain('https://');
});

test('what was explained is gone once the site has changed, and a path that is none is not sent', async () => {
  const id = await make('http://later.example', dashboard.upstream);
  await explain();
  await panel()
    .getByText(/^It works: GET/)
    .waitFor();
  const json = { upstream: `127.0.0.1:${freePort()}` };
  await ask(`${hub}/vhosts/${id}`, { method: 'PUT', json, headers });
  await page.reload();
  await panel().getByRole('button', { name: 'Explain' }).waitFor();
  expect(
    await panel()
      .getByText(/^It works: GET/)
      .count(),
  ).toBe(0);
  await panel().getByLabel('Ask for').fill('no path');
  await explain();
  expect(await panel().getByText('It fails.').count()).toBe(0);
});

test('the list of problems says what to do about a site that fails', async () => {
  await page.goto('/');
  const line = page.getByRole('listitem').filter({ hasText: 'closed.example' });
  await line.getByText('What to do:').first().waitFor();
});

test('the details of a request that failed say why, and lead to the explanation', async () => {
  const open = async (domain: string, upstream: string) => {
    await make(`http://${domain}`, upstream);
    await dashboard.stack.served(domain);
    await page.goto(`/logs?domain=${domain}`);
    await page.getByRole('button', { name: 'Details' }).first().click();
    await dialog.getByText('GET', { exact: true }).waitFor();
  };
  const dialog = page.getByRole('dialog', { name: 'Request' });
  const words = dialog.getByText('Nothing listens where the upstream should be.');
  await open('answered.example', dashboard.upstream);
  expect(await words.count()).toBe(0);

  await open('refused.example', `127.0.0.1:${freePort()}`);
  await words.waitFor();
  await dialog.getByText('Start the service, or correct the port').waitFor();
  await dialog.getByRole('link', { name: 'Does it work?' }).click();
  await panel().waitFor();
  expect(new URL(page.url()).hash).toBe('#explain');
  await page.locator('#explain:focus').waitFor();
});
