/** What the dashboard says of a proxy, and of those that a change did not reach. */
import { describe, expect, test } from 'bun:test';
import type { Agent } from '../../src/web/lib/types.ts';
import { caddyOf, consequenceOf, standingOf } from '../../src/web/proxies/standing.tsx';
import { behindIn } from '../../src/web/status/status-bar.tsx';

const since = '2026-11-20T18:00:00.000Z';
const states = ['in-step', 'behind', 'unreachable', 'refused'] as const;
const of = (state: Agent['state'], paused = false) => ({ state, paused, since });

describe('the state of a proxy', () => {
  test('has a time only if something is wrong', () => {
    expect(states.map((state) => standingOf(of(state)).since)).toEqual([null, since, since, since]);
  });

  test('is green only in step, and grey while it is paused', () => {
    expect(states.map((state) => standingOf(of(state)).level)).toEqual([
      'good',
      'warn',
      'bad',
      'bad',
    ]);
    expect(states.map((state) => standingOf(of(state, true)))).toEqual([
      { level: 'off', label: 'paused', since: null },
      { level: 'off', label: 'paused, behind', since },
      { level: 'off', label: 'paused, unreachable', since },
      { level: 'off', label: 'paused, refused', since },
    ]);
  });

  test('says what a visitor still gets there, but nothing of one in step', () => {
    expect(consequenceOf(of('in-step'))).toBeNull();
    expect(consequenceOf(of('behind'))).toContain(
      'until it returns: it still serves deleted sites',
    );
    expect(consequenceOf(of('behind'))).toContain('ignores new policies');
    expect(consequenceOf(of('unreachable', true))).toContain('until you resume it');
    expect(consequenceOf(of('in-step', true))).toContain('will not reach it');
  });

  test('names Caddy as far as it is known', () => {
    const proxy = { running: false, version: null };
    expect(caddyOf({ proxy, latencyMs: null })).toBe('Caddy is unreachable');
    expect(caddyOf({ proxy, latencyMs: 1.24 })).toBe('Caddy does not answer');
    expect(caddyOf({ proxy: { running: true, version: '2.6.2' }, latencyMs: 1.24 })).toBe(
      'Caddy 2.6.2 · answers in 1.2 ms',
    );
  });
});

test('an answer without names of proxies names none that is behind', () => {
  for (const body of [null, undefined, 'text', 7, [], {}, { behind: 'vps' }, { behind: null }]) {
    expect(behindIn(body)).toEqual([]);
  }
});

test('an answer names the proxies that are behind', () => {
  expect(behindIn({ id: 1, behind: ['vps', 'twin'] })).toEqual(['vps', 'twin']);
});
