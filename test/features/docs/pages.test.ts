/** The docs at `/docs` of a hub: whole, without a session, and with nothing of the hub's data. */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX, TEXTS } from '../../../src/features/docs/texts.ts';
import { FAILURES } from '../../../src/shared/failure.ts';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';

const ROOT = join(import.meta.dir, '../../..');
const NAMES = readdirSync(join(ROOT, 'docs'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => file.slice(0, -'.md'.length))
  .toSorted();
const PAGES = ['', 'reference', ...NAMES];

const hub = await forFile(startHubAlone());
const ask = (path: string) => fetch(`${hub.hub.replace(/\/api$/, '')}${path}`);
const html = async (name: string) => (await ask(`/docs${name && `/${name}`}`)).text();
const idsIn = (text: string) => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);

describe('refused:', () => {
  test.each([
    'none',
    'api.md',
    '..%2Fpackage.json',
    '%2e%2e%2fpackage.json',
    'README',
    '__proto__',
  ])('%s', async (name) => {
    const answer = await ask(`/docs/${name}`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toMatch(/"dependencies"|Error:/);
  });

  test('anything but reading', async () => {
    const answer = await fetch(`${hub.hub.replace(/\/api$/, '')}/docs`, { method: 'POST' });
    expect(answer.status).toBe(404);
  });
});

test('every file of docs/ is a page, and stands in one group of the index', () => {
  expect(Object.keys(TEXTS).toSorted()).toEqual(NAMES);
  const [, ...groups] = INDEX.split(/^## /m);
  expect(groups.map((group) => group.split('\n', 1)[0])).toEqual(['Use', 'Run', 'Extend', 'Trust']);
  const listed = groups.flatMap((group) => [...group.matchAll(/^- \[.*?\]\((.*?)\.md\)/gm)]);
  expect(listed.map(([, name]) => name).toSorted()).toEqual(NAMES);
});

test('every page has a title, and loads nothing from elsewhere', async () => {
  for (const name of PAGES) {
    const answer = await ask(`/docs${name && `/${name}`}`);
    const text = await answer.text();
    expect([name, answer.status, answer.headers.get('content-type')]).toEqual([
      name,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([name, text.match(/<h1/g)?.length]).toEqual([name, 1]);
    const loaded = [...text.matchAll(/ (?:src|rel="stylesheet" href)="([^"]*)"/g)].map(
      ([, to]) => to,
    );
    expect(loaded).toEqual(['/docs/docs.css', '/docs/search.js']);
    expect([name, text.match(/<(?:style|iframe|script>)| on[a-z]+="| style="/g)]).toEqual([
      name,
      null,
    ]);
  }
});

test('every link between pages leads to a heading that is there', async () => {
  const pages = new Map<string, string>();
  for (const name of PAGES) pages.set(name, await html(name));
  let count = 0;
  for (const [name, text] of pages) {
    for (const [, to = ''] of text.matchAll(/<a (?:class="skip" )?href="([^"]*)"/g)) {
      if (/^https?:/.test(to)) continue;
      const [, target = name, id] = /^(?:\/docs\/?([\w-]*))?(?:#(.*))?$/.exec(to) ?? [
        '',
        'no page',
      ];
      const whole = pages.get(to.startsWith('#') ? name : target);
      expect([name, to, whole !== undefined]).toEqual([name, to, true]);
      if (id) expect([name, to, idsIn(whole ?? '').includes(id)]).toEqual([name, to, true]);
      count++;
    }
  }
  expect(count).toBeGreaterThan(1_000);
});

test('the reference has every operation with its codes, and what each code means', async () => {
  const text = await html('reference');
  expect(text).toContain('<h3 id="createVhost"><code>POST /api/vhosts</code></h3>');
  expect(text).toContain('<code>DOMAIN_TAKEN</code>');
  expect(text.match(/<h3 /g)?.length).toBeGreaterThan(100);
  expect(idsIn(text).length).toBe(new Set(idsIn(text)).size);
  const [, codes = ''] = text.split('<h2 id="error-codes">');
  const rows = [...codes.matchAll(/<tr><td><code>([A-Z_]+)<\/code><\/td><td>(\d+)<\/td>/g)];
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(
    Object.fromEntries(Object.entries(FAILURES).map(([code, { status }]) => [code, status])),
  );
});

test('search and style are what they say', async () => {
  const [script, style] = [await ask('/docs/entries.js'), await ask('/docs/docs.css')];
  expect(script.headers.get('content-type')).toStartWith('text/javascript');
  expect((await ask('/docs/search.js')).headers.get('content-type')).toStartWith('text/javascript');
  expect(style.headers.get('content-type')).toStartWith('text/css');
  expect(await script.text()).toContain('"title":"The access log"');
});
