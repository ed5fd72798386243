// proof: browser
/** At each step of an import, a Caddy that is gone and one that is back, all that tell how it is tell the same. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../harness/browser.ts';
import { caddiesOf } from '../harness/caddys.ts';
import { forFile } from '../harness/for-file.ts';
import { createOperator } from '../harness/operator.ts';
import { ask, signUp, temporaryFolder, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, problemCount, visit } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const program = join(temporaryFolder(), 'caddy');
const link = () => symlinkSync(Bun.which('caddy') ?? '', program);
const operator = await forFile(createOperator({ PROXY_BIN: program }));
const NAMES = ['one.example', 'two.example', 'three.example'];

/** How many problems there are without a fault. */
let usual = 0;

link();
const { hub } = await operator.start();
const owner = await signUp({ hub });
const headers = owner.headers;
const browser = await forFile(launchBrowser());
const seen = await visit(browser, { hub }, owner.token, { viewport: { width: 1280, height: 900 } });
const page = seen.page;
afterAll(() => expect(seen.browserErrors).toEqual([]));

type Problem = { level: string; code: string; message: string };
type Status = { problems: Problem[]; checking: number };

const get = async <T>(path: string) => (await ask<T>(`${hub}${path}`, { headers })).body;
const counted = async () =>
  (await get<Status>('/status')).problems.filter(({ level }) => level !== 'notice');

/** How many problems and sites that are down each of them tells. */
async function told() {
  const summary = await get<{ problems: number; sitesDown: number }>('/summary');
  const { text } = await ask(`${new URL(hub).origin}/metrics`, { headers });
  const metric = (level: string) =>
    Number(
      new RegExp(`^signalbox_problems\\{level="${level}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  const status = await operator.run(['status']);
  const list = await operator.run(['site', 'list']);
  await page.goto('/');
  await problemCount(page).waitFor();
  const numberIn = (text: string | null) => Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
  const bar = numberIn(await problemCount(page).textContent());
  const bell = numberIn(await page.locator('.bell button').getAttribute('aria-label'));
  const title = numberIn(/^\(\d+\)/.exec(await page.title())?.[0] ?? '');
  const onBell = page.locator('.bell-count');
  const entry = (await onBell.count()) === 0 ? 0 : numberIn(await onBell.textContent());
  await page.goto('/sites');
  await page
    .getByText(NAMES[0] ?? '')
    .first()
    .waitFor();
  const rows = page.getByRole('row').filter({ hasText: '.example' });
  await rows
    .getByRole('img', { name: /^(live|down|checking)/ })
    .first()
    .waitFor();
  return {
    problems: {
      status: (await counted()).length,
      summary: summary.problems,
      metrics: metric('bad') + metric('warn'),
      command: numberIn(status.err),
      code: status.code,
      bar,
      bell,
      title,
      menu: entry,
    },
    down: {
      summary: summary.sitesDown,
      list: await rows.getByRole('img', { name: /^down/ }).count(),
      command: list.out.split('\n').filter((line) => /\bdown\b/.test(line)).length,
    },
  };
}

const all = (problems: number, down: number) => ({
  problems: {
    status: problems,
    summary: problems,
    metrics: problems,
    command: problems,
    code: problems > 0 ? 1 : 0,
    bar: problems,
    bell: problems,
    title: problems,
    menu: problems,
  },
  down: { summary: down, list: down, command: down },
});

/** The page of a site says so as well. */
async function sitePage(): Promise<string> {
  const [{ id = 0 } = {}] = await get<{ id: number }[]>('/vhosts');
  await page.goto(`/sites/${id}`);
  const state = page.getByRole('region', { name: 'Live state' });
  await state.getByText(/Caddy (?:serves|does not serve) this site/).waitFor();
  return (await state.textContent()) ?? '';
}

test('after an import', async () => {
  const file = join(operator.folder, 'theirs');
  writeFileSync(file, NAMES.map((name) => `http://${name} {\n\trespond ok\n}\n`).join(''));
  expect((await operator.run(['import', file])).code).toBe(0);
  await until(async () => (await get<Status>('/status')).checking === 0);
  // As root, Caddy may share its user here, which is a warning.
  usual = (await counted()).length;
  expect(await told()).toEqual(all(usual, 0));
  expect(await sitePage()).toContain('Caddy serves this site');
});

test('with a Caddy that is dead, because its program is gone', async () => {
  rmSync(program);
  // The copy that would run instead, if Caddy has run for long enough.
  rmSync(join(operator.folder, 'data/caddy/programs'), { recursive: true, force: true });
  for (const { pid } of caddiesOf(join(operator.folder, 'data'))) process.kill(pid, 'SIGKILL');
  await until(async () => {
    const [first, ...others] = await counted();
    return first?.message.includes('there is no program at') && others.length === usual;
  });
  expect(await told()).toEqual(all(usual + 1, NAMES.length));
  expect(await sitePage()).toContain('Caddy does not serve this site');
});

test('once it is back', async () => {
  link();
  await until(async () => (await operator.served('one.example')) === 'ok');
  await until(async () => (await counted()).length === usual);
  await until(async () => (await get<{ sitesDown: number }>('/summary')).sitesDown === 0);
  expect(await told()).toEqual(all(usual, 0));
});
