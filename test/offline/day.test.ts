// proof: offline
/**
 * "No request leaves your machine but those you configure": a day of use, with all that is done by itself, and a record
 * of each packet that would have left and of each name that was asked for.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { FLAGS, findBrowser } from '../harness/browser.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { limit } from '../harness/speed.ts';
import { temporaryFolder, until } from '../harness/stack.ts';
import { isRoot } from '../harness/unprivileged.ts';
import { visit } from '../harness/visit.ts';
import { CAN_RECORD, DEVICE, type Recorder, startRecorder } from './recorder.ts';

const canRun = isRoot && CAN_RECORD && findBrowser() !== null;
if (!canRun) console.warn('NOT TESTED, what leaves the machine: no root, tcpdump or Chromium');
setDefaultTimeout(limit(120_000));

const folder = temporaryFolder();
let recorder: Recorder;
let program: Program;
let browser: Browser;
let hub: string;
let token: string;

/** Asks the hub, there. @returns the body of any status */
async function api<T = Record<string, unknown>>(method: string, path: string, body?: object) {
  const json = body ? `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'` : '';
  const signed = token ? `-H 'Authorization: Bearer ${token}'` : '';
  const text = await recorder.run(
    `curl -s -m 60 -X ${method} ${signed} ${json} '${hub}/api${path}'`,
  );
  return JSON.parse(text || 'null') as T;
}

/** What would have left, except the questions about these names and connections to these addresses. */
async function leftBut(...configured: readonly string[]): Promise<string[]> {
  return (await recorder.seen()).filter(
    (line) =>
      // Nobody answers there.
      !line.includes(' udp port 53 unreachable') &&
      !configured.some((one) => line.includes(`? ${one}. (`) || line.includes(`> ${one}: `)),
  );
}

beforeAll(async () => {
  if (!canRun) return;
  recorder = await startRecorder(folder);
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir, BACKUP_DIR: join(dataDir, 'backups'), HUB_PORT: '0' };
  mkdirSync(dataDir, { mode: 0o700 });
  program = runProgram([], env, folder, {
    prefix: [...recorder.prefix, process.execPath, '--no-env-file'],
    binary: join(import.meta.dir, 'day-main.ts'),
  });
  hub = await program.address('hub');
  const executablePath = recorder.wrapperOf(findBrowser() ?? '');
  browser = await chromium.launch({ executablePath, args: FLAGS });
});
afterAll(async () => {
  await browser?.close();
  program?.child.kill('SIGTERM');
  await program?.exited();
  await recorder?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!canRun)('what leaves is seen, by address and by name', async () => {
  await recorder.run('curl -s -m 1 http://203.0.113.7/ || true');
  expect((await leftBut()).join()).toContain('> 203.0.113.7.80: ');
  await Bun.spawn([...recorder.prefix, 'getent', 'hosts', 'somewhere.example'], {
    stdout: 'ignore',
  }).exited;
  expect((await leftBut('203.0.113.7.80')).join()).toContain('? somewhere.example. (');
});

const CONTROL = ['203.0.113.7.80', 'somewhere.example'];
const CONFIGURED = ['app.example', 'nas.home.arpa', 'device.example', `${DEVICE}.8080`];

test.skipIf(!canRun)('a day of sites, checks, logs, backups and the dashboard', async () => {
  const ada = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
  token = (await api<{ token: string }>('POST', '/auth/sign-up/email', ada)).token;
  expect(token).toBeString();
  const check = { path: '/', every: 10 };
  const sites = [
    { domain: 'http://app.example', config: 'respond hello', check },
    { domain: 'nas.home.arpa', config: 'tls internal\nrespond hello' },
    // The only upstream elsewhere.
    {
      domain: 'http://device.example',
      upstream: `${DEVICE}:8080`,
      config: 'reverse_proxy {upstream}',
    },
  ];
  const ids: number[] = [];
  for (const site of sites) ids.push((await api<{ id: number }>('POST', '/vhosts', site)).id);
  expect(ids).toEqual([1, 2, 3]);
  expect((await api('PUT', '/vhosts/1', { config: 'respond {' })).code).toBeString();
  await api('POST', '/preview', { op: 'update', id: 1, config: 'respond later' });
  await recorder.run(`for i in 1 2 3; do curl -s -H 'Host: app.example' http://127.0.0.1/; done`);
  for (const vhost of [1, 3]) await api('POST', '/explanations', { vhost });

  const seen = await visit(browser, { hub }, token, {}, true);
  const { page } = seen;
  await page.goto('/');
  const links = page.getByRole('navigation').getByRole('link');
  await links.first().waitFor();
  const addresses = await links.evaluateAll((all) =>
    all.map((one) => (one as unknown as { pathname: string }).pathname),
  );
  expect(addresses.length).toBeGreaterThan(5);
  for (const address of new Set(addresses)) {
    await page.goto(address);
    await page.getByRole('main').waitFor();
    await page.waitForLoadState('networkidle').catch(() => {});
  }

  // What is done by itself: the hours pass until a second backup, and many checks.
  type Uptime = { buckets: { asked: number }[] };
  const backups = async () => (await api<{ backups: object[] }>('GET', '/backups')).backups.length;
  await until(async () => (await backups()) > 0, 'a backup', limit(60_000));
  await api('PUT', '/vhosts/2', { config: 'tls internal\nrespond again' });
  await until(async () => (await backups()) > 1, 'the next backup', limit(60_000));
  await until(
    async () => {
      const { buckets } = await api<Uptime>('GET', '/vhosts/1/uptime');
      return buckets.reduce((sum, { asked }) => sum + asked, 0) > 20;
    },
    'the checks',
    limit(60_000),
  );
  await seen.close();

  expect(await leftBut(...CONTROL, ...CONFIGURED)).toEqual([]);
  expect((await recorder.seen()).join()).toContain(`> ${DEVICE}.8080: `);
});

test.skipIf(!canRun)('a public name is asked for at the authority, and nowhere else', async () => {
  await api('POST', '/vhosts', { domain: 'public.example.org', config: 'respond hello' });
  const authority = ['acme-v02.api.letsencrypt.org', 'acme.zerossl.com'];
  const left = () => leftBut(...CONTROL, ...CONFIGURED, 'public.example.org');
  await until(async () => (await left()).join().includes(`? ${authority[0]}. (`), 'the authority');
  const elsewhere = (await left()).filter(
    (line) => !authority.some((one) => line.includes(`? ${one}. (`)),
  );
  expect(elsewhere).toEqual([]);
});
