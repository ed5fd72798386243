/** The pages of the dashboard by their addresses. */
import { expect, test } from 'bun:test';
import { FEATURE_PAGES } from '../../src/features/pages.ts';
import { PAGES, pageOf, SECTIONS } from '../../src/shared/pages.ts';
import { words } from '../harness/words.ts';

test.each([
  '',
  ...words('/site /sites/ /sites/x /sites/1/x /sites/x/edit /proxies/A /proxies/a/b /x'),
])('there is none at %j', (address) => expect(pageOf(address)).toBeNull());

test.each([
  ['/', { path: '/', name: '', title: 'Overview' }],
  ['/sites/new', { path: '/sites/new', name: '', needs: 'editor' }],
  ['/sites/12', { path: '/sites/:id', name: '12', title: 'Site' }],
  ['/sites/12/edit', { path: '/sites/:id/edit', name: '12', needs: 'editor' }],
  ['/proxies/vps-2', { path: '/proxies/:name', name: 'vps-2' }],
  ['/users', { path: '/users', needs: 'owner' }],
])('%s is known, with the name in it', (address, page) =>
  expect(pageOf(address)).toMatchObject(page),
);

test('those of features are among them', () => {
  expect(PAGES.map(([path]) => path)).toEqual(expect.arrayContaining(Object.keys(FEATURE_PAGES)));
});

test('the menu has seven entries, and each page with a tab in one of them', () => {
  expect(SECTIONS.map(({ title }) => title)).toEqual(
    words('Overview Sites Policies Logs Certificates Proxies Settings'),
  );
  const tabs = SECTIONS.flatMap(({ paths }) => paths);
  expect(new Set(tabs).size).toBe(tabs.length);
  const others = PAGES.flatMap(([path]) => (tabs.includes(path) ? [] : path));
  expect(others.filter((path) => !/\/(new|:id|:name)(\/|$)/.test(path))).toEqual([]);
});

test('a page has a title, or a name in its address', () => {
  const nameless = PAGES.filter(([path, { title }]) => !title && !path.endsWith('/:name'));
  expect(nameless).toEqual([]);
});
