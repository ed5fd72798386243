/** How the dashboard groups and names problems. */
import { expect, test } from 'bun:test';
import type { Problem } from '../../src/web/lib/types.ts';
import { knownWords } from '../../src/web/status/known.tsx';
import { endOf } from '../../src/web/status/known-dialog.tsx';
import {
  differencesIn,
  groupsOf,
  headlineOf,
  levelOf,
  linkOf,
  othersWords,
  sitesLost,
  titleOf,
  titleOfGroup,
  wordsWithoutSites,
} from '../../src/web/status/problems.ts';
import { site } from './samples.ts';

const problem = (change: Partial<Problem> = {}): Problem => ({
  key: '1',
  code: 'WARNING',
  level: 'warn',
  since: '2026-11-20T18:00:00.000Z',
  message: 'No space.',
  ...change,
});
const down = (id: number, change: Partial<Problem> = {}) =>
  problem({ code: 'UPSTREAM_DOWN', vhost: { id, domain: `s${id}.example` }, ...change });

test('problems of sites with the same cause are together, where the worst of them is', () => {
  const [a, b, c, d] = [1, 2, 3, 4].map((id) =>
    down(id, { level: 'bad', cause: 'UPSTREAM_REFUSED' }),
  );
  const [hangs, elsewhere] = [
    down(5, { level: 'bad', cause: 'HANGS' }),
    down(6, { agents: ['vps'] }),
  ];
  const known = { ...d, known: { until: null, by: 'Ann' } } as Problem;
  const [one, other] = [problem(), problem({ message: 'w' })];
  expect(groupsOf([])).toEqual([]);
  expect(groupsOf([a, hangs, b, one, other, elsewhere, c, known] as Problem[])).toEqual([
    [a, b, c] as Problem[],
    [hangs],
    [one],
    [other],
    [elsewhere],
    [known],
  ]);
});

test('a group counts its sites, each once, and names the only one', () => {
  expect(titleOfGroup([down(7)])).toBe('The upstream of s7.example is down');
  const pair = [1, 2].map((id) => ({ id, domain: `s${id}.example` }));
  const { vhost: _, ...shared } = down(1);
  const group = [{ ...shared, vhosts: pair }, down(2), down(3)];
  expect(titleOfGroup(group)).toBe('The upstream of 3 sites is down');
  expect(titleOfGroup([down(7), down(7)])).toBe('The upstream of s7.example is down');
});

test('the message of several sites goes without their names, any other as it is', () => {
  const message = '127.0.0.1:1 does not answer. Sites: a.example and b.example.';
  const vhosts = [{ id: 1, domain: 'a.example' }];
  expect(wordsWithoutSites(problem({ message, vhosts }))).toBe('127.0.0.1:1 does not answer.');
  expect(wordsWithoutSites(problem({ message }))).toBe(message);
});

test('a dead proxy names the sites that are on for it, and nothing else names any', () => {
  const all = [
    site({ id: 1 }),
    site({ id: 2, agents: ['vps'] }),
    site({ id: 3, agents: ['nas'] }),
    site({ id: 4, enabled: false }),
  ];
  const lost = (change: Partial<Problem>) => sitesLost(problem(change), all).map(({ id }) => id);
  expect(lost({ code: 'PROXY_DOWN', agents: ['vps'] })).toEqual([1, 2]);
  expect(lost({ code: 'AGENT_UNREACHABLE', agents: ['nas', 'vps'] })).toEqual([1, 2, 3]);
  expect(lost({ code: 'PROXY_DOWN' })).toEqual([1, 2, 3]);
  expect(lost({ code: 'DISK_FULL' })).toEqual([]);
});

test('the whole is as bad as its worst part', () => {
  expect(levelOf([])).toBe('good');
  expect(levelOf([problem()])).toBe('warn');
  expect(levelOf([problem(), down(1, { level: 'bad' })])).toBe('bad');
});

test('what somebody knows of is counted nowhere, and says until when', () => {
  const known = { until: null, by: 'Ann' };
  const all = [problem({ level: 'bad', known }), problem()];
  expect(levelOf(all)).toBe('warn');
  expect(headlineOf({ problems: all, checking: 0 })).toBe('1 problem');
  expect(headlineOf({ problems: all.slice(0, 1), checking: 0 })).toBe('No problems');
  expect(othersWords(all.slice(0, 1))).toBe('1 known');
  expect(othersWords([...all.slice(0, 1), problem({ level: 'notice' })])).toBe('1 known, 1 notice');
  expect(othersWords([])).toBe('');
  const now = new Date('2026-11-20T18:00:00');
  expect(knownWords(known)).toBe('Known until it is over (Ann)');
  const words = knownWords({ ...known, until: new Date('2026-12-01T08:00').toISOString() });
  expect(words).toBe('Known until 2026-12-01 08:00 (Ann)');
  const ends = [0, 1, 2, 3].map((choice) => endOf(choice, '', now));
  const after = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
  expect(ends).toEqual([null, after(1), after(7), after(30)]);
  expect(endOf(4, '2026-12-24', now)).toBe(new Date('2026-12-24T23:59:59').toISOString());
});

test('there are no problems only once everything was looked at', () => {
  expect(headlineOf({ problems: [], checking: 0 })).toBe('No problems');
  expect(headlineOf({ problems: [], checking: 26 })).toBe('Checking 26 sites …');
  expect(headlineOf({ problems: [problem()], checking: 26 })).toBe('1 problem');
});

test('what a source will undo is said for each source, and is no problem', () => {
  const source = { name: 'home', sites: 9, policies: 3, differing: 0 };
  expect(differencesIn({ sources: [] })).toEqual([]);
  expect(differencesIn({ sources: [source] })).toEqual([]);
  const sources = [
    { ...source, differing: 2 },
    { ...source, name: 'other' },
    { name: 'containers/nas', sites: 4, policies: 0, differing: 1 },
  ];
  expect(differencesIn({ sources })).toEqual([
    '2 of 12 sites and policies managed by home differ from what it applied: its next apply undoes that.',
    '1 of 4 sites managed by the containers on nas differs from their labels: their next start or change of labels undoes that.',
  ]);
});

test('a problem leads to where it is solved, and names its site', () => {
  expect(linkOf(problem())).toBeNull();
  expect(linkOf(problem({ code: 'FOREIGN' }))?.to).toBe('/import');
  expect(linkOf(down(7))?.to).toBe('/sites/7');
  expect(titleOf(down(7))).toBe('The upstream of s7.example is down');
  expect(titleOf(problem())).toBe('No space');
  const vhosts = [1, 2].map((id) => ({ id, domain: `s${id}.example` }));
  const shared = problem({ code: 'UPSTREAM_DOWN', vhosts });
  expect(titleOf(shared)).toBe('The upstream of 2 sites is down');
  expect(linkOf(shared)?.to).toBe('/sites?show=problems');
});

test('a site whose labels are at fault says so, and leads to it', () => {
  const labels = problem({ code: 'LABELS_REFUSED', vhost: { id: 7, domain: 'a.example' } });
  expect(titleOf(labels)).toBe('The labels of the container of a.example are at fault');
  expect(linkOf(labels)?.to).toBe('/sites/7');
});

test('a problem of one of several proxies names it and leads to it', () => {
  const gone = problem({ code: 'AGENT_UNREACHABLE', agents: ['vps'] });
  expect(titleOf(gone)).toBe('vps: The agent does not answer');
  expect(linkOf(gone)?.to).toBe('/proxies/vps');
  expect(titleOf({ ...gone, code: 'PROXY_DOWN' })).toBe('vps: Caddy is down');
  expect(linkOf({ ...gone, agents: ['twin', 'vps'] })?.to).toBe('/proxies');
  expect(linkOf(problem({ code: 'FOREIGN', agents: ['vps'] }))?.to).toBe('/import');
  expect(linkOf(down(7, { agents: ['vps'] }))?.to).toBe('/sites/7');
  expect(titleOf(problem({ message: 'vps: No space.', agents: ['vps'] }))).toBe('vps: No space');
});
