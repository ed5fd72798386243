// proof: browser
/** A box of 25 sites of which some fail: each failure is counted and named, and gone after its cure. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, rmSync } from 'node:fs';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { makePair } from '../harness/pair.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, until } from '../harness/stack.ts';

/** The cures have to show within a minute each. */
setDefaultTimeout(limit(150_000));
const CURE_MS = 60_000;

type Problem = { code: string; vhost?: { domain: string }; message: string };

const dashboard = await forFile(startDashboard());
const page = await dashboard.open({}, true);
const problems = async () => {
  const { stack, owner } = dashboard;
  const { body } = await ask<{ problems: Problem[] }>(`${stack.hub}/status`, owner);
  return body.problems.filter(({ vhost }) => vhost !== undefined);
};
const named = async () =>
  (await problems()).map(({ code, vhost }) => `${vhost?.domain} ${code}`).toSorted();

/** Waits until the status names these problems of sites, and no others. */
async function isNamed(expected: string[]): Promise<void> {
  let found: string[] = [];
  const isSo = async () => {
    found = await named();
    return found.join() === expected.toSorted().join();
  };
  await until(isSo, 'the problems', CURE_MS).catch(() => undefined);
  expect(found).toEqual(expected.toSorted());
}

/** How many sites the list says have problems, and which ones it shows then. */
async function listed(): Promise<{ count: string; sites: string[] }> {
  const filter = page.locator('label', { hasText: /^Problems/ });
  const rows = page.locator('.site-site > a');
  return {
    count: ((await filter.textContent()) ?? '').replace(/\D+/g, ''),
    sites: (
      await rows.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
    ).toSorted(),
  };
}

test('what fails is counted and named in status, list and title, and gone after its cure', async () => {
  const { stack, owner, upstream } = dashboard;
  const [gone, away] = [freePort(), freePort()];
  const { certificate, key } = makePair(stack.folder);
  const slow = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      await Bun.sleep(400);
      return new Response('slow');
    },
  });
  const to = (name: string, address: string) => ({
    domain: `http://${name}.example`,
    upstream: address,
    config: 'reverse_proxy {upstream}',
  });
  const sites = [
    ...Array.from({ length: 20 }, (_, at) => to(`well-${at}`, upstream)),
    to('gone', `127.0.0.1:${gone}`),
    to('away', `127.0.0.1:${away}`),
    to('slow', `127.0.0.1:${slow.port}`),
    { domain: 'box.lan', config: 'respond box' },
    { domain: 'frail.example', config: `tls ${certificate} ${key}\nrespond frail` },
  ];
  const operations = sites.map((site) => ({ op: 'create', ...site }));
  const made = await ask(`${stack.hub}/vhosts/bulk`, { ...owner, json: { operations } });
  expect([made.status, sites.length]).toEqual([200, 25]);
  copyFileSync(key, `${key}.kept`);
  rmSync(key);
  await stack.restart();

  const all = [
    'box.lan CERTIFICATE_MISSING',
    'frail.example VHOST_BROKEN',
    'http://away.example UPSTREAM_DOWN',
    'http://gone.example UPSTREAM_DOWN',
  ];
  await isNamed(all);
  await page.goto(`${new URL(stack.hub).origin}/sites?show=problems`);
  await until(async () => (await listed()).count === '4', 'four problems in the list', CURE_MS);
  expect((await listed()).sites).toEqual(all.map((one) => one.split(' ')[0] ?? '').toSorted());
  expect(await page.title()).toMatch(/^\(\d+\) Sites/);

  // A slow one works, and its latency tells.
  await stack.served('slow.example');
  type Activity = { vhosts: { hosts: string[]; p95: number }[] };
  await until(async () => {
    const { body } = await ask<Activity>(`${stack.hub}/vhosts/activity`, owner);
    const tardy = body.vhosts.find(({ hosts }) => hosts.includes('slow.example'));
    return tardy && tardy.p95 > 300;
  }, 'the latency of the slow site');

  const servers = [gone, away].map((port) =>
    Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('back') }),
  );
  copyFileSync(`${key}.kept`, key);
  await isNamed(['box.lan CERTIFICATE_MISSING']);
  const { body: list } = await ask<{ id: number; domain: string }[]>(`${stack.hub}/vhosts`, owner);
  const box = list.find(({ domain }) => domain === 'box.lan');
  const json = { config: 'tls internal\nrespond box' };
  const put = await ask(`${stack.hub}/vhosts/${box?.id}`, { ...owner, method: 'PUT', json });
  expect(put.status).toBe(200);
  await isNamed([]);
  await until(async () => (await listed()).count === '0', 'no problem in the list', CURE_MS);
  await Promise.all([...servers, slow].map((server) => server.stop(true)));
});
