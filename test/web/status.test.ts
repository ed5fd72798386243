/** How the dashboard groups and names problems. */
import { expect, test } from 'bun:test';
import type { Problem } from '../../src/web/lib/types.ts';
import { groupsOf, levelOf, linkOf, titleOf } from '../../src/web/status/problems.ts';

const problem = (change: Partial<Problem> = {}): Problem => ({
  ...{ code: 'WARNING', level: 'warn', since: '2026-11-20T18:00:00.000Z', message: 'No space.' },
  ...change,
});
const down = (id: number, change: Partial<Problem> = {}) =>
  problem({ code: 'UPSTREAM_DOWN', vhost: { id, domain: `s${id}.example` }, ...change });

test('the problems of a site are together, where the worst of them is', () => {
  const [a, b, other, c] = [down(2, { level: 'bad' }), down(1), problem(), down(2)];
  expect(groupsOf([])).toEqual([]);
  expect(groupsOf([a, b, other, c, problem({ message: 'w' })])).toEqual([
    { vhost: a.vhost, problems: [a, c] },
    { vhost: b.vhost, problems: [b] },
    { vhost: undefined, problems: [other] },
    { vhost: undefined, problems: [problem({ message: 'w' })] },
  ]);
});

test('the whole is as bad as its worst part', () => {
  expect(levelOf([])).toBe('good');
  expect(levelOf([problem()])).toBe('warn');
  expect(levelOf([problem(), down(1, { level: 'bad' })])).toBe('bad');
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

test('a problem of one of several proxies names it and leads to it', () => {
  const gone = problem({ code: 'AGENT_UNREACHABLE', agents: ['vps'] });
  expect(titleOf(gone)).toBe('vps: The agent does not answer');
  expect(linkOf(gone)?.to).toBe('/proxies/vps');
  expect(linkOf({ ...gone, agents: ['twin', 'vps'] })?.to).toBe('/proxies');
  expect(linkOf(problem({ code: 'FOREIGN', agents: ['vps'] }))?.to).toBe('/import');
  expect(linkOf(down(7, { agents: ['vps'] }))?.to).toBe('/sites/7');
  expect(titleOf(problem({ message: 'vps: No space.', agents: ['vps'] }))).toBe('vps: No space');
});
