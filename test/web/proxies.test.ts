/** What the dashboard says of a proxy, and of those that a change did not reach. */
import { describe, expect, test } from 'bun:test';
import type { Agent } from '../../src/web/lib/types.ts';
import { caddyOf, consequenceOf, standingOf } from '../../src/web/proxies/standing.tsx';
import { behindIn, leftIn } from '../../src/web/status/change-notices.tsx';

const since = '2026-11-20T18:00:00.000Z';
const states = ['in-step', 'behind', 'unreachable', 'refused'] as const;
const of = (state: Agent['state'], paused = false) => ({
  state,
  paused,
  since,
  latencyMs: 1 as number | null,
  proxy: { running: true, version: null },
});

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
      { level: 'off', label: 'paused, out of date', since },
      { level: 'off', label: 'paused, unreachable', since },
      { level: 'off', label: 'paused, refused', since },
    ]);
  });

  test('tells a Caddy that is down from an agent that does not answer', () => {
    const down = { ...of('unreachable'), proxy: { running: false, version: '2.6.2' } };
    expect(standingOf(down)).toEqual({ level: 'bad', label: 'Caddy is down', since });
    expect(standingOf({ ...down, paused: true }).label).toBe('paused, Caddy is down');
    expect(standingOf({ ...down, latencyMs: null }).label).toBe('unreachable');
  });

  test('says what a visitor still gets there, but nothing of one in step', () => {
    expect(consequenceOf(of('in-step'))).toBeNull();
    expect(consequenceOf(of('behind'))).toContain(
      'until it returns: it still serves deleted sites',
    );
    expect(consequenceOf(of('behind'))).toContain('ignores new policies');
    expect(consequenceOf(of('unreachable', true))).toContain('until you resume it');
    expect(consequenceOf(of('in-step', true))).toContain('will not reach it');
    const isDown = { ...of('unreachable'), proxy: { running: false, version: null } };
    expect(consequenceOf(isDown)).toBe('Visitors get nothing there until Caddy runs.');
    // Without the agent, nobody knows whether Caddy runs.
    expect(consequenceOf({ ...isDown, latencyMs: null })).toContain('still serves deleted sites');
  });

  test('names Caddy as far as it is known', () => {
    const proxy = { running: false, version: null };
    expect(caddyOf({ proxy, latencyMs: null })).toBe('Caddy is not known');
    expect(caddyOf({ proxy, latencyMs: 1.24 })).toBe('Caddy is down');
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

test('an answer that is not that of a site says what the change left behind', () => {
  const warnings = [
    { code: 'NOT_TRIED', message: 'The check of a.example ran only once the change was live.' },
    { code: 'STILL_OPEN', message: '1 connection to a:1 was open.' },
    { code: 'UPSTREAM_DOWN', message: 'a:1 does not answer.' },
  ];
  const messages = warnings.slice(0, 2).map(({ message }) => message);
  expect(leftIn({ id: 1, name: 'lan', warnings })).toEqual(messages);
  for (const body of [null, 'x', {}, { warnings: 'x' }, { warnings: [null, 'gone'] }]) {
    expect(leftIn(body)).toEqual([]);
  }
  expect(leftIn({ id: 1, domain: 'a.example', warnings })).toEqual([]);
});

test('an answer names the proxies that are behind', () => {
  expect(behindIn({ id: 1, behind: ['vps', 'twin'] })).toEqual(['vps', 'twin']);
});
