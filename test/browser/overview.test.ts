// proof: browser
/** The first page: whether all is well, what is wrong, busy sites, certificates and changes, and where they lead. */
import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import type { LogPage, VhostActivity } from '../../src/web/lib/types.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { flaws } from '../harness/look.ts';
import { ask, until } from '../harness/stack.ts';
import { writeLog } from '../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();

const api = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const region = (name: string) => page.getByRole('region', { name });
/** The query of the log that a link leads to. */
const queryOf = async (link: Locator) =>
  new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams;

const VISITS = [
  { host: 'busy.example', minutesAgo: 10, requests: 40, status: 200 },
  { host: 'busy.example', minutesAgo: 20, requests: 7, status: 502 },
  { host: 'calm.example', minutesAgo: 30, requests: 5, status: 404 },
  { host: 'busy.example', minutesAgo: 90, requests: 20, status: 200 },
  { host: 'busy.example', minutesAgo: 90, requests: 1, status: 500 },
  { host: 'busy.example', minutesAgo: 300, requests: 99, status: 500 },
];

describe('an empty hub', () => {
  test('shows no zeros, but the first three steps', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Three steps to your first site' }).waitFor();
    expect(await page.locator('.tile').count()).toBe(0);
    expect(await page.locator('.wall, .signal').count()).toBe(0);
    expect(await page.locator('.steps > li').count()).toBe(3);
    await page.getByRole('link', { name: 'Create your first site' }).click();
    await page.getByRole('heading', { name: 'New site' }).waitFor();
    const domain = page.getByLabel('Domain');
    const isFocused = () => domain.evaluate((field) => field === document.activeElement);
    await until(isFocused, 'the field where typing begins');
  });

  test('is not confused with one that does not answer', async () => {
    await page.route('**/api/vhosts', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto('/');
    await page.getByRole('alert').getByText('The hub answered with status 503.').waitFor();
    expect(await page.locator('.steps, .tile').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

/** Stands in for a hub with other sites, states and problems; the rest is its own. */
async function pretend(answers: Record<string, (body: object) => object>) {
  for (const [path, change] of Object.entries(answers)) {
    await page.route(`**/api${path}`, async (route) => {
      const answer = await route.fetch({
        headers: { ...route.request().headers(), 'if-none-match': '' },
      });
      await route.fulfill({ json: change((await answer.json()) as object) });
    });
  }
  await page.goto('/');
}

describe('with sites', () => {
  beforeAll(async () => {
    const { stack, owner, upstream } = dashboard;
    const domains = ['http://busy.example', 'http://calm.example', 'http://gone.example'];
    for (const domain of domains) {
      const json = { domain, upstream, config: 'reverse_proxy {upstream}' };
      const made = await ask(`${stack.hub}/vhosts`, { json, headers: owner.headers });
      if (made.status !== 201) throw new Error(made.text);
    }
    await page.goto('/');
  });

  test('nothing empty is drawn while nobody has visited', async () => {
    await page.getByText(/^All 3 sites are up\./).waitFor();
    await region('Last changes').waitFor();
    expect(await page.locator('.tile, .hour-plot').count()).toBe(0);
    for (const name of ['Busiest sites', 'Certificates due', 'Requests of the last hour']) {
      expect([name, await region(name).count()]).toEqual([name, 0]);
    }
    writeLog(dashboard.stack, VISITS);
    // The page asks once a minute.
    const seen = async () => (await api<VhostActivity>('/vhosts/activity')).vhosts.length > 0;
    await until(seen, 'the visits');
    await page.goto('/');
  });

  test('the busiest sites come first, each with its requests', async () => {
    const rows = region('Busiest sites').getByRole('listitem');
    await rows.first().waitFor();
    const texts = await rows.evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('a')].map((link) => link.textContent)),
    );
    expect(texts).toEqual([
      ['http://busy.example', '47 requests', '7 errors'],
      ['http://calm.example', '5 requests'],
    ]);
    const requests = rows.first().getByRole('link', { name: '47 requests' });
    expect((await api<LogPage>(`/logs?${await queryOf(requests)}`)).total).toBe(47);
  });

  test('changes are listed, and lead to their entries', async () => {
    const entries = await api<{ id: number; domain: string }[]>('/changelog');
    const [newest] = entries;
    await region('Last changes').getByRole('link', { name: 'Created http://gone.example' }).click();
    await page.locator(`#change-${newest?.id}:focus`).waitFor();
  });

  test('a problem and a certificate that is due are named, and lead to their site', async () => {
    const [{ id } = { id: 0 }] = await api<{ id: number }[]>('/vhosts');
    const whole = await api<Record<string, unknown>>('/status');
    const vhost = { id, domain: 'http://busy.example' };
    const since = new Date().toISOString();
    const problems = [
      { code: 'VHOST_BROKEN', level: 'bad', vhost, since, message: 'no such directive' },
    ];
    const due = { id, domain: 'busy.example', name: 'busy.example', issuer: 'x', daysLeft: 3 };
    const notAfter = '2026-11-24T00:00:00.000Z';
    const certificates = [{ ...due, notAfter, overdue: true }];
    // A stand-in: Caddy no longer accepts a stored config only after it was exchanged, and no
    // authority issues a certificate of three days here.
    const json = { ...whole, problems, certificates };
    await page.route('**/api/status', (route) => route.fulfill({ json }));
    await page.goto('/');
    await region('Certificates due').getByText('3 days, not renewed').waitFor();
    const certificate = region('Certificates due').getByRole('link', { name: 'busy.example' });
    expect(await certificate.getAttribute('href')).toBe(`/sites/${id}`);
    const problem = region('Problems')
      .getByRole('listitem')
      .filter({ hasText: 'no such directive' });
    await problem.getByRole('link').click();
    await page.getByRole('heading', { name: 'http://busy.example' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('the answer', () => {
  const sites = () => api<{ id: number; domain: string }[]>('/vhosts');
  const answer = () => page.locator('.answer [role=status]');
  const wall = page.getByRole('region', { name: 'Sites', exact: true });
  const tiles = () => wall.getByRole('listitem');
  const since = '2026-11-20T18:00:00.000Z';
  const bad = { level: 'bad', since };
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

  // As root, Caddy may share its user here, which is a warning.
  const calm = { '/status': (status: object) => ({ ...status, problems: [] }) };

  test('says that all is well, with who changed something last', async () => {
    await pretend(calm);
    await answer().getByText('All 3 sites are up.').waitFor();
    await page.locator('.signal.good').waitFor();
    await page.getByText(/^Last change .* by Ada\.$/).waitFor();
    expect(await tiles().count()).toBe(3);
  });

  test('is not given before the sites are known', async () => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/vhosts/state', async (route) => {
      await isReleased;
      await route.continue();
    });
    await pretend(calm);
    await answer().getByText('Looking at your sites …').waitFor();
    await page.locator('.signal.warn').waitFor();
    expect(await page.locator('.wall .health-good').count()).toBe(0);
    release();
    await answer().getByText('All 3 sites are up.').waitFor();
  });

  test('counts a site that the last explanation found failing, which no problem names', async () => {
    const all = await sites();
    const failing = { since, cause: 'REDIRECT_LOOP', words: 'It redirects to itself.' };
    await pretend({
      ...calm,
      '/vhosts/state': (states) =>
        (states as { id: number }[]).map((one) =>
          one.id === all[2]?.id ? { ...one, failing } : one,
        ),
    });
    await answer().getByText('1 of 3 sites is failing.').waitFor();
    await page.locator('.signal.bad').waitFor();
    const problem = region('Problems').getByRole('listitem');
    await problem.getByText('It redirects to itself.').waitFor();
    expect(await problem.getByRole('link').getAttribute('href')).toBe(
      `/sites/${all[2]?.id}#explain`,
    );
    // It comes first on the wall, and leads to its page.
    const first = tiles().first();
    await first.locator('.wall-state').getByText('failing').waitFor();
    expect(await first.getByRole('link').getAttribute('href')).toBe(`/sites/${all[2]?.id}`);
  });

  test('of a dead proxy is one card with all its sites, the first six at once, and a wall that is bounded', async () => {
    const [first] = await api<object[]>('/vhosts');
    const many = Array.from({ length: 70 }, (_, at) => ({
      ...first,
      id: at + 1,
      domain: `http://s${at}.example`,
      agents: at < 20 ? ['vps'] : ['local'],
    }));
    await pretend({
      '/vhosts': () => many,
      '/vhosts/state': (states) =>
        many.map(({ id, domain }) => ({ ...(states as object[])[0], id, domain })),
      '/status': (status) => {
        const { agents } = status as { agents: object[] };
        const proxies = ['local', 'vps'].map((name) => ({ ...agents[0], name }));
        const message = 'vps: Caddy is not running. No site is known to be served.';
        const dead = { ...bad, key: 'd', code: 'PROXY_DOWN', agents: ['vps'], message };
        return { ...status, agents: proxies, problems: [dead] };
      },
    });
    await answer().getByText('20 of 70 sites are down.').waitFor();
    const cards = region('Problems').locator('.problems > li');
    await cards.getByRole('heading', { name: 'vps: Caddy is down' }).waitFor();
    expect(await cards.count()).toBe(1);
    expect(await cards.getByRole('link', { name: /^http/ }).count()).toBe(6);
    await cards.getByText('14 more').click();
    expect(await cards.getByRole('link', { name: /^http/ }).count()).toBe(20);
    expect(await tiles().count()).toBe(60);
    expect(await tiles().nth(19).textContent()).toContain('down');
    expect(await tiles().nth(20).textContent()).toContain('live');
    expect(await wall.getByRole('link', { name: 'All 70 sites' }).getAttribute('href')).toBe(
      '/sites',
    );
  });

  test('says once what several sites have in common, and what differs beside each', async () => {
    const cure = { words: 'Start the service.', operation: null };
    const all = (await sites()).map((vhost, at) => {
      const message = `127.0.0.1:${at} does not answer.`;
      const what = { code: 'UPSTREAM_DOWN', cause: 'UPSTREAM_REFUSED', message, cure };
      return { ...bad, ...what, key: String(at), vhost };
    });
    await pretend({ '/status': (status) => ({ ...status, problems: all }) });
    await answer().getByText('All 3 sites are down.').waitFor();
    const card = region('Problems').locator('.problems > li');
    await card.getByRole('heading', { name: 'The upstream of 3 sites is down' }).waitFor();
    expect(await card.getByText('Start the service.').count()).toBe(1);
    expect(await card.getByText('does not answer.').count()).toBe(3);
    for (const { vhost, message } of all) {
      const line = card.locator('.problem', { hasText: message });
      await line.getByRole('link', { name: vhost.domain }).waitFor();
    }
  });

  test('has the change that solves a problem behind a button, only for those who may make it', async () => {
    const [site] = await sites();
    const vhost = { id: site?.id, domain: site?.domain };
    const operation = { op: 'update', id: site?.id, tags: ['cured'] };
    const cure = { words: 'Give it a tag.', operation };
    const down = { ...bad, key: 'd', code: 'UPSTREAM_DOWN', vhost, message: 'It is gone.', cure };
    const sick = { '/status': (status: object) => ({ ...status, problems: [down] }) };
    const card = region('Problems').getByRole('listitem');
    const button = card.getByRole('button', { name: 'Solve it …' });
    await pretend({
      ...sick,
      '/auth/get-session'(answer) {
        const { user } = answer as { user: object };
        return { ...answer, user: { ...user, role: 'viewer' } };
      },
    });
    await card.getByText('Give it a tag.').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await page.unroute('**/api/auth/get-session');
    await page.goto('/');
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Solve this problem' });
    await dialog.getByRole('button', { name: 'Publish it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await api<{ tags: string[] }>(`/vhosts/${site?.id}`)).tags).toEqual(['cured']);
    // One that is solved elsewhere has words alone.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const elsewhere = { ...down, cure: { ...cure, operation: null } };
    await pretend({ '/status': (status) => ({ ...status, problems: [elsewhere] }) });
    await card.getByText('Give it a tag.').waitFor();
    expect(await button.count()).toBe(0);
  });

  test('has no serious flaw on a screen, a phone and a small phone, in both themes', async () => {
    const [site] = await sites();
    const vhost = { id: site?.id, domain: site?.domain };
    const message = 'a'.repeat(300);
    const down = { ...bad, key: 'd', code: 'UPSTREAM_DOWN', vhost, message };
    await pretend({ '/status': (status) => ({ ...status, problems: [down] }) });
    const before = page.viewportSize();
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await answer().getByText('1 of 3 sites is down.').waitFor();
      expect([width, await flaws(page)]).toEqual([width, []]);
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([width, wider]).toEqual([width, 0]);
    }
    if (before) await page.setViewportSize(before);
  });
});
