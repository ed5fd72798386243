/** What the palette can go to, for whom, and in which order it is found. */
import { expect, test } from 'bun:test';
import type { Role } from '../../src/web/lib/roles.ts';
import { entriesOf, found } from '../../src/web/parts/palette-entries.ts';
import { words } from '../harness/words.ts';

const nothing = () => undefined;
const listFor = (role: Role) =>
  entriesOf({
    role,
    sites: [
      { id: 1, domain: 'http://app.example', upstream: '10.0.0.7:3000', tags: ['media'] },
      { id: 2, domain: 'my-photos.example', upstream: '', tags: [] },
      { id: 3, domain: 'photos.example', upstream: '', tags: [] },
      { id: 4, domain: 'telephotos.example', upstream: '', tags: [] },
    ],
    policies: [{ id: 7, name: 'photos only' }],
    proxies: ['local', 'vps'],
    onTheme: nothing,
    onKeys: nothing,
    onSignOut: nothing,
  });
const titles = (typed: string, role: Role = 'owner') =>
  found(listFor(role), typed).map(({ title }) => title);

test.each([
  ['viewer', []],
  ['editor', ['New site', 'New policy', 'Caddy options', 'Import & export']],
  [
    'owner',
    ['New site', 'New policy', 'Caddy options', 'Import & export', 'Users', 'Security log'],
  ],
] as const)('as %s, only what that role may see is found', (role, expected) => {
  const special = ['New site', 'New policy', 'Caddy options', 'Import & export', 'Users'];
  const all = listFor(role).map(({ title }) => title);
  expect(all.filter((title) => [...special, 'Security log'].includes(title))).toEqual([
    ...expected,
  ]);
  for (const title of words('Overview Sites Changes Account')) expect(all).toContain(title);
});

test('nothing that has not all the words', () => {
  expect(titles('no-such-thing')).toEqual([]);
  expect(titles('photos nowhere')).toEqual([]);
});

test('what begins with the words is first, then where a word does, then the rest', () => {
  expect(titles('photos')).toEqual([
    'photos.example',
    'photos only',
    'my-photos.example',
    'telephotos.example',
  ]);
  expect(titles('app')[0]).toBe('http://app.example');
});

test('a site is found by its upstream and its tags, a thing by its kind', () => {
  expect(titles('10.0.0.7')).toEqual(['http://app.example']);
  expect(titles('media')).toEqual(['http://app.example']);
  expect(titles('photos policy')).toEqual(['photos only']);
  expect(titles('proxy')).toEqual(['local', 'vps']);
});
