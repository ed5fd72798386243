/** The first publish to a Caddy that someone else configured. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { readSettings } from '../../src/program/config.ts';
import type { Running } from '../../src/program/listen.ts';
import { serveAgent, serveHub } from '../../src/program/serve/serve.ts';
import { createLog } from '../../src/shared/log.ts';
import { launchBrowser } from '../harness/browser.ts';
import { ask, freePort, machine, signUp, temporaryFolder, until } from '../harness/stack.ts';
import { tooWide, type Visit, violations, visit } from '../harness/visit.ts';

// A browser is slow on a busy machine.
setDefaultTimeout(60_000);

const TOKEN = 'takeover'.repeat(4);
const home = temporaryFolder();
const file = join(home, 'Caddyfile');
const ports = { admin: freePort(), http: freePort() };

let caddy: Bun.Subprocess;
let agent: Running;
let hub: Running;
let browser: Browser;
let seen: Visit;
let headers: Record<string, string>;

const served = () =>
  ask(`http://127.0.0.1:${ports.http}/`, { headers: { Host: 'theirs.example' } }).then(
    ({ text }) => text,
    () => 'nothing',
  );
const preamble = async () =>
  (await ask<{ config: string }>(`${hub.url}/api/preamble`, { headers })).body.config;

/** A Caddy that someone else runs, with their own Caddyfile. */
beforeAll(async () => {
  writeFileSync(
    file,
    `{\n\tadmin localhost:${ports.admin}\n}\n\nhttp://theirs.example:${ports.http} {\n\trespond theirs\n}\n`,
  );
  const output = Bun.file(join(home, 'caddy.out'));
  caddy = Bun.spawn(['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', output, output],
  });
  await until(async () => (await served()) === 'theirs', 'their Caddy');
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(home, 'data'),
    AGENT_TOKEN: TOKEN,
    AGENT_PORT: '0',
    HUB_PORT: '0',
    PROXYFILE: file,
    PROXY_ADMIN: `localhost:${ports.admin}`,
    ACCESS_LOG: join(home, 'access.log'),
  };
  const log = createLog(
    () => {},
    () => new Date(),
  );
  agent = await serveAgent(readSettings('agent', env, machine).agent, TOKEN, log);
  const settings = readSettings('hub', env, machine).hub;
  hub = await serveHub({ ...settings, agentUrl: agent.url }, TOKEN, log);
  const owner = await signUp({ hub: `${hub.url}/api` });
  headers = owner.headers;
  browser = await launchBrowser();
  seen = await visit(browser, { hub: `${hub.url}/api` }, owner.token);
});
afterAll(async () => {
  await browser?.close();
  await hub?.stop();
  await agent?.stop();
  caddy?.kill('SIGKILL');
  await caddy?.exited;
  rmSync(home, { recursive: true, force: true });
});

test('a preamble replaces someone else’s sites only after confirmation', async () => {
  const { page } = seen;
  const before = await preamble();
  const text = `{\n\thttp_port ${ports.http}\n}\n# ours`;
  await page.goto('/preamble');
  await page.getByLabel('Caddyfile text').fill(text);
  await page.getByRole('button', { name: 'Save preamble …' }).click();
  await page.getByRole('button', { name: 'Save for all sites' }).click();
  await page.getByText('This would replace sites that signalbox does not manage').waitFor();
  expect(
    await page.getByRole('main').getByRole('link', { name: 'Import' }).getAttribute('href'),
  ).toBe('/import');
  expect(await page.getByLabel('Caddyfile text').inputValue()).toBe(text);
  expect(await served()).toBe('theirs');
  expect(await preamble()).toBe(before);
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toBe(0);

  await page.getByRole('button', { name: 'replace them anyway' }).click();
  await page.getByRole('button', { name: 'Replace it' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await preamble()).toBe(text);
  expect(await served()).not.toBe('theirs');
  expect(seen.browserErrors).toEqual([]);
});
