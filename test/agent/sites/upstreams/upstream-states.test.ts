import { describe, expect, test } from 'bun:test';
import type { Probe } from '../../../../agent/sites/upstreams/prober.ts';
import {
  createUpstreamStates,
  type Evidence,
} from '../../../../agent/sites/upstreams/upstream-states.ts';

const NOW = Date.parse('2026-11-20T18:00:00Z');
const ago = (seconds: number): number => NOW - seconds * 1000;
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());

const dial = { place: { host: 'a', port: 1 }, tls: null };
const upstream: Evidence['upstream'] = { address: 'a:1', checked: false, dial, unknown: null };
const nothing: Evidence = {
  upstream,
  probe: null,
  unprobed: 'not dialled',
  fault: null,
  answered: null,
  figures: null,
};
const good = (at: number, since = at): Probe => ({ up: true, latencyMs: 1.5, at, since });
const bad = (at: number, since = at): Probe => ({ up: false, reason: 'refused', at, since });
const fault = (kind: 'dial' | 'answer' | 'health', at: number, message = 'x') => ({
  kind,
  at,
  message,
});
const figures = (healthy: boolean | null) => ({ requests: 1, fails: 2, healthy });

const stateOf = (evidence: Partial<Evidence>) =>
  createUpstreamStates(() => new Date(NOW)).stateOf('a', { ...nothing, ...evidence });

describe('an upstream is not called up', () => {
  test.each<[string, Partial<Evidence>]>([
    ['nothing is known', {}],
    ['the agent may not dial it', { probe: { up: null, reason: 'no', at: NOW, since: NOW } }],
    ['it last answered long ago', { answered: ago(301) }],
    ['Caddy has seen no failure, but does not check', { figures: figures(true) }],
  ])('if %s', (_, evidence) => {
    expect(stateOf(evidence)).toMatchObject({ up: null, since: null, unknown: expect.any(String) });
  });

  test.each<[string, Partial<Evidence>]>([
    ['it cannot be dialled', { probe: bad(ago(10)) }],
    ['it answered before that', { probe: bad(ago(10)), answered: ago(11) }],
    ['Caddy’s check fails', { probe: good(ago(1)), figures: figures(false) }],
    ['Caddy’s check failed', { probe: good(ago(1)), fault: fault('health', ago(600)) }],
    ['a request could not reach it since', { probe: good(ago(10)), fault: fault('dial', ago(9)) }],
    ['a request failed', { probe: good(ago(1)), fault: fault('answer', ago(59), 'EOF') }],
    [
      'its certificate is not trusted',
      { probe: good(ago(1)), fault: fault('answer', ago(9_000), 'tls: … x509: unknown authority') },
    ],
  ])('if %s', (_, evidence) => {
    expect(stateOf(evidence)).toMatchObject({ up: false, unknown: null, latencyMs: null });
  });
});

test('only what one request says is called transient', () => {
  const probe = good(ago(1));
  const isTransient = (evidence: Partial<Evidence>) => stateOf(evidence).error?.transient ?? false;
  const failed = fault('answer', ago(59), 'EOF');
  expect(isTransient({ probe, fault: failed })).toBe(true);
  expect(isTransient({ probe, fault: failed, figures: figures(false) })).toBe(false);
  expect(isTransient({ probe: bad(ago(1)), fault: failed })).toBe(false);
  expect(isTransient({ probe, fault: fault('health', ago(9)) })).toBe(false);
  expect(isTransient({ probe, fault: fault('answer', ago(9), 'tls: bad record') })).toBe(false);
});

describe('an upstream is up', () => {
  test.each<[string, Partial<Evidence>]>([
    ['it can be dialled', { probe: good(ago(10)) }],
    ['it can be dialled again', { probe: good(ago(1)), fault: fault('dial', ago(9)) }],
    ['a request failed a while ago', { probe: good(ago(1)), fault: fault('answer', ago(62)) }],
    ['it answered after it was dialled', { probe: bad(ago(10)), answered: ago(9) }],
    ['it answered lately', { answered: ago(299) }],
    [
      'Caddy’s check succeeds',
      { upstream: { ...upstream, checked: true }, figures: figures(true) },
    ],
  ])('if %s', (_, evidence) => {
    expect(stateOf(evidence)).toMatchObject({ up: true, unknown: null, error: null });
  });
});

test('the error is what the agent found, else what Caddy said', () => {
  expect(stateOf({ probe: bad(ago(1), ago(5)), fault: fault('dial', ago(3)) }).error).toEqual({
    at: iso(ago(5)) ?? '',
    message: 'refused',
  });
  const said = stateOf({ probe: good(ago(5)), fault: fault('answer', ago(3), 'EOF') });
  expect(said.error).toEqual({ at: iso(ago(3)) ?? '', message: 'EOF', transient: true });
});

test('since when it has been so does not move until it changes', () => {
  let now = ago(100);
  const { stateOf: next, keep } = createUpstreamStates(() => new Date(now));
  const since = (evidence: Partial<Evidence>) => next('a', { ...nothing, ...evidence }).since;
  expect(since({ probe: good(ago(100)) })).toBe(iso(ago(100)));
  expect(since({ probe: good(ago(70), ago(100)) })).toBe(iso(ago(100)));
  // Each failed request is a new fault.
  expect(since({ probe: good(ago(70), ago(100)), fault: fault('dial', ago(60)) })).toBe(
    iso(ago(60)),
  );
  expect(since({ probe: good(ago(70), ago(100)), fault: fault('dial', ago(50)) })).toBe(
    iso(ago(60)),
  );
  // The dial has been good all along, as far as the agent knows.
  now = ago(40);
  expect(since({ probe: good(ago(40), ago(100)) })).toBe(iso(ago(40)));
  // It was down for a while in which nobody asked.
  expect(since({ probe: good(ago(10), ago(20)) })).toBe(iso(ago(20)));
  keep([]);
  expect(since({ probe: good(ago(10), ago(30)) })).toBe(iso(ago(30)));
});
