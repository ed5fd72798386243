// proof: faults
/** A newcomer's services, set up wrongly in usual ways: two clicks on the page of the site say, or do, what is missing. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { makeChain, makeIssuer, selfSigned } from '../../../harness/certificate.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, freePort } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';
import { startHomeAssistant } from '../services/apps.ts';
import { createStops } from '../services/listening.ts';
import {
  NGINX,
  OPENSSL,
  SSHD,
  startNginx,
  startOpenssl,
  startSecureNginx,
  startSshd,
} from '../services/programs.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const { headers } = dashboard.owner;
const { hub, httpsPort } = dashboard.stack;
const stops = createStops();
afterAll(() => stops.stop());
const page = await dashboard.open();
const panel = page.getByRole('region', { name: 'Does it work?' });

const nas = async () => `127.0.0.1:${await startSecureNginx(stops)}`;

async function secureWith(pair: { certificate: string; key: string }): Promise<string> {
  return `https://127.0.0.1:${await startOpenssl(stops, pair)}`;
}

async function ofOwnAuthority(): Promise<string> {
  const issuer = await makeIssuer('Home authority');
  const { chain, key } = await makeChain({ names: ['nas.home'], days: 30, issuer });
  return secureWith({ certificate: chain, key });
}

async function forcingHttps(): Promise<string> {
  const server = (port: number) =>
    `server { listen 127.0.0.1:${port}; return 301 https://$http_host$request_uri; }`;
  return `127.0.0.1:${(await startNginx(stops, server)).port}`;
}

type Mistake = readonly [name: string, upstream: () => string | Promise<string>, more: object];

/** Opens the page of a new site, and clicks once. */
async function explain(...[name, upstream, more]: Mistake): Promise<void> {
  const site = { domain: `http://${name}.example`, upstream: await upstream(), ...more };
  const json = { config: 'reverse_proxy {upstream}', ...site };
  const { body } = await ask<{ id: number }>(`${hub}/vhosts`, { json, headers });
  await page.goto(`/sites/${body.id}`);
  await panel.getByRole('button', { name: 'Explain' }).click();
  await panel.getByText('It fails.').waitFor();
  await panel.getByText('What to do:').waitFor();
}

test.skipIf(NGINX === null || OPENSSL === null).each<Mistake>([
  ['https-nas', nas, {}],
  ['expired', async () => secureWith(await selfSigned(['nas'], -1)), {}],
  ['own-authority', ofOwnAuthority, {}],
])('%s: a second click repairs it', async (name, upstream, more) => {
  await explain(name, upstream, more);
  await panel.getByLabel('Changes to the Caddyfile').waitFor();
  await panel.getByRole('button', { name: 'Publish it' }).click();
  await panel.getByText(/^It works: GET \/ is answered with 200/).waitFor();
});

const LOOP = {
  domain: `loop.home.arpa:${httpsPort}`,
  config: 'tls internal\nreverse_proxy {upstream}',
};

test.skipIf(NGINX === null || SSHD === null).each<[...Mistake, words: RegExp]>([
  ['wrong-port', () => `127.0.0.1:${freePort()}`, {}, /Start the service, or correct the port/],
  ['container', () => 'jellyfin:8096', {}, /127\.0\.0\.1:8096:8096.*use 127\.0\.0\.1:8096/],
  ['ssh', async () => `127.0.0.1:${await startSshd(stops)}`, {}, /SSH.*port of .* web interface/s],
  [
    'home-assistant',
    () => `127.0.0.1:${startHomeAssistant(stops).port}`,
    {},
    /configuration\.yaml.*use_x_forwarded_for.*trusted_proxies.*restart/s,
  ],
  ['loop', forcingHttps, LOOP, /X-Forwarded-Proto.*redirect to HTTPS off/s],
])('%s: the words say what to do there', async (name, upstream, more, words) => {
  await explain(name, upstream, more);
  expect(await panel.textContent()).toMatch(words);
  expect(await panel.getByRole('button', { name: 'Publish it' }).count()).toBe(0);
});
