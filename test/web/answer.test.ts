/** The sentence of the first page that says whether the house is fine, and the order of its wall. */
import { expect, test } from 'bun:test';
import type { Problem, Status } from '../../src/web/lib/types.ts';
import { answerOf, type Tile, worstTilesFirst } from '../../src/web/overview/answer.ts';
import type { Health } from '../../src/web/sites/problem.ts';
import { agent, site, status } from './samples.ts';

const LABELS = {
  good: 'live',
  bad: 'failing',
  warn: 'partly down',
  unknown: 'checking',
  off: 'off',
};
const tile = (level: Health['level'], more: Partial<Health> = {}, on: string[] = []): Tile => ({
  site: site({ agents: on, enabled: level !== 'off' || more.label !== undefined }),
  health: { level, label: LABELS[level], text: '', ...more },
});
const some = (count: number, ...of: Parameters<typeof tile>) =>
  Array.from({ length: count }, () => tile(...of));
const problem: Problem = {
  key: '1',
  code: 'DISK_FULL',
  level: 'warn',
  since: '2026-11-20T18:00:00.000Z',
  message: 'No space.',
};
const say = (tiles: Tile[] | undefined, change: Partial<Status> | null = {}) => {
  const { state, words } = answerOf(tiles, change && status(change));
  return `${state}: ${words}`;
};
const two = { agents: [agent(), agent({ name: 'vps' })] };

test('nothing is said of what is not known', () => {
  expect(say(undefined)).toBe('caution: Looking at your sites …');
  expect(say([tile('good')], null)).toBe('caution: Looking at your sites …');
  expect(say(some(3, 'unknown'))).toBe('caution: Looking at your sites …');
  const gone: Problem = { ...problem, code: 'AGENT_UNREACHABLE', level: 'bad' };
  expect(say(some(3, 'unknown'), { problems: [gone] })).toBe(
    'danger: Nobody knows how your 3 sites are.',
  );
  expect(say([...some(25, 'good'), ...some(2, 'unknown')])).toBe(
    'caution: 25 of 27 sites are up, 2 not known yet.',
  );
});

test('what fails comes first, and is called as the list calls it', () => {
  expect(say([...some(24, 'good'), ...some(3, 'bad')])).toBe('danger: 3 of 27 sites are failing.');
  expect(say([tile('good'), tile('bad'), tile('unknown')])).toBe(
    'danger: 1 of 3 sites is failing, and 1 not known yet.',
  );
  expect(say(some(20, 'bad', { label: 'down' }))).toBe('danger: All 20 sites are down.');
  expect(say([tile('bad', { label: 'down on vps' }), tile('good')], two)).toBe(
    'danger: 1 of 2 sites is down on vps.',
  );
  expect(say([tile('bad', { label: 'down' }), tile('bad')])).toBe(
    'danger: Both sites are failing.',
  );
  expect(say([tile('bad', { label: 'expired' })])).toBe('danger: Your site is failing.');
});

test('all is well only if it is', () => {
  expect(say(some(27, 'good'))).toBe('clear: All 27 sites are up.');
  expect(say([...some(2, 'good'), tile('off')])).toBe('clear: Both sites are up.');
  expect(say([tile('good')])).toBe('clear: Your site is up.');
  expect(say([])).toBe('clear: There are no sites yet.');
  expect(say([tile('off')])).toBe('clear: No site is on.');
  expect(say([tile('good'), tile('warn')])).toBe('caution: Both sites are up, 1 with a problem.');
  expect(say(some(2, 'good'), { problems: [problem] })).toBe(
    'caution: Both sites are up. 1 problem needs a look.',
  );
  expect(say(some(2, 'good'), { problems: [{ ...problem, level: 'notice' }] })).toBe(
    'clear: Both sites are up.',
  );
  expect(say([tile('good'), tile('off', { label: 'down, known' })])).toBe(
    'clear: 1 of 2 sites is up, 1 with a known problem.',
  );
  expect(say([tile('off', { label: 'down, known' })])).toBe(
    'clear: Your site is not up, with a known problem.',
  );
});

test('several proxies are named only if all sites are on all of them', () => {
  expect(say(some(27, 'good'), two)).toBe('clear: All 27 sites are up on both proxies.');
  const three = { agents: [...two.agents, agent({ name: 'nas' })] };
  expect(say([tile('good')], three)).toBe('clear: Your site is up on all 3 proxies.');
  expect(say([tile('good'), tile('good', {}, ['vps'])], two)).toBe('clear: Both sites are up.');
});

test('the wall begins with what is dead, then what is partly dead, and ends with what is off', () => {
  const all = [
    tile('off'),
    tile('good'),
    tile('unknown'),
    tile('bad', { isPartly: true, label: 'down on vps' }),
    tile('warn'),
    tile('bad', { label: 'down' }),
  ];
  expect(worstTilesFirst(all).map(({ health }) => health.label)).toEqual([
    'down',
    'down on vps',
    'partly down',
    'checking',
    'live',
    'off',
  ]);
});
