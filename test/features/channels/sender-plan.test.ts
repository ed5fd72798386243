/** What a channel gets next, and when. */
import { describe, expect, test } from 'bun:test';
import { PACE } from '../../../src/features/channels/hub.ts';
import {
  endOfQuiet,
  pauseAfter,
  planNext,
  type Waiting,
} from '../../../src/features/channels/sender-plan.ts';
import fc from '../../harness/generated.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const at = (seconds: number) => new Date(NOON + seconds * 1000);
const message = (id: number, more: Partial<Waiting> = {}): Waiting => ({
  id,
  at: at(-1),
  dueAt: at(-1),
  attempts: 0,
  digest: null,
  ...more,
});
const some = (count: number, more: Partial<Waiting> = {}) =>
  Array.from({ length: count }, (_, i) => message(i + 1, more));
const plan = (waiting: readonly Waiting[], sent: readonly Date[] = []) =>
  planNext(waiting, sent, null, at(0), PACE);

describe('nothing is sent', () => {
  test.each<[string, Waiting[]]>([
    ['if nothing waits', []],
    ['before it is due', [message(1, { dueAt: at(1) })]],
    [
      'before the one that failed before it',
      [message(1, { attempts: 1, dueAt: at(1) }), message(2)],
    ],
  ])('%s', (_, waiting) => {
    expect(plan(waiting)).toEqual({ kind: 'nothing' });
  });

  test('after five within a minute, until that is over', () => {
    const sent = [-59, -40, -30, -20, -10].map(at);
    const ids = [1, 2];
    expect(plan(some(2), sent)).toEqual({ kind: 'later', ids, until: at(1) });
    expect(plan(some(2), sent.slice(1)).kind).toBe('send');
    expect(plan(some(2), [at(-60), ...sent.slice(1)]).kind).toBe('send');
  });

  test('in quiet hours, until these are over', () => {
    const quiet = { from: '13:00', to: '14:30', timeZone: 'Europe/Berlin' };
    const until = at(90 * 60);
    expect(planNext(some(2), [], quiet, at(0), PACE)).toEqual({
      kind: 'later',
      ids: [1, 2],
      until,
    });
    expect(planNext(some(2), [], quiet, until, PACE).kind).toBe('send');
  });
});

describe('one message is sent', () => {
  test('at a time, the oldest first', () => {
    expect(plan(some(5))).toEqual({ kind: 'send', ids: [1], isDigest: false });
  });

  test('again as it was, if it may have arrived, whatever has come since', () => {
    const [first, ...rest] = some(9);
    const waiting = [{ ...message(1, first), attempts: 1 }, ...rest];
    expect(plan(waiting)).toEqual({ kind: 'send', ids: [1], isDigest: false });
    const digest = [...some(3, { attempts: 1, digest: 'd' }), message(4), message(5)];
    expect(plan(digest)).toEqual({ kind: 'send', ids: [1, 2, 3], isDigest: false });
  });

  test('but one that has failed ten times lets the others go first', () => {
    const [often, fresh] = [message(1, { attempts: 10, dueAt: at(999) }), message(2)];
    expect(plan([often, fresh])).toEqual({ kind: 'send', ids: [2], isDigest: false });
    expect(plan([{ ...often, dueAt: at(-1) }])).toMatchObject({ ids: [1] });
  });
});

describe('when the clock was set back', () => {
  const ahead = at(7_200);

  test('what is new is sent at once', () => {
    expect(plan([message(1, { at: ahead, dueAt: ahead })]).kind).toBe('send');
  });

  test('what was sent before holds up nothing', () => {
    expect(plan(some(1), Array(5).fill(ahead)).kind).toBe('send');
  });

  test('what has failed waits no longer than it may', () => {
    expect(plan([message(1, { attempts: 1, dueAt: at(3_599) })]).kind).toBe('nothing');
    expect(plan([message(1, { attempts: 1, dueAt: ahead })]).kind).toBe('send');
  });

  test('what waits for the end of quiet hours waits for that of those there are', () => {
    const quiet = { from: '13:00', to: '14:30', timeZone: 'Europe/Berlin' };
    const waiting = [message(1, { dueAt: at(99_999) })];
    expect(planNext(waiting, [], quiet, at(0), PACE).kind).toBe('nothing');
    expect(planNext(waiting, [], quiet, at(90 * 60), PACE).kind).toBe('send');
    expect(planNext(waiting, [], null, at(0), PACE).kind).toBe('send');
  });
});

describe('one digest is sent', () => {
  test('of more than five that wait at once, however many', () => {
    expect(plan(some(6))).toEqual({ kind: 'send', ids: [1, 2, 3, 4, 5, 6], isDigest: true });
    expect(plan(some(500))).toMatchObject({ ids: { length: 500 }, isDigest: true });
  });

  test('of what was put off, together with what has come since', () => {
    const waiting = [message(1, { at: at(-60) }), message(2)];
    expect(plan(waiting)).toEqual({ kind: 'send', ids: [1, 2], isDigest: true });
    expect(plan(waiting.slice(0, 1))).toEqual({ kind: 'send', ids: [1], isDigest: false });
  });

  test('but not of what has already been sent, or failed', () => {
    const waiting = [...some(6), message(7, { attempts: 12 }), message(8, { digest: 'd' })];
    expect(plan(waiting)).toMatchObject({ ids: [1, 2, 3, 4, 5, 6], isDigest: true });
  });
});

test('attempts are farther and farther apart, up to an hour', () => {
  const pauses = [1, 2, 3, 9, 10, 40, 2_000].map((attempts) => pauseAfter(attempts, 0.5, PACE));
  expect(pauses).toEqual([10_000, 20_000, 40_000, 2_560_000, 3_000_000, 3_000_000, 3_000_000]);
  const [low, high] = [0, 1].map((random) =>
    [1, 99].map((count) => pauseAfter(count, random, PACE)),
  );
  expect([low, high]).toEqual([
    [8_000, 2_400_000],
    [12_000, 3_600_000],
  ]);
});

describe('quiet hours', () => {
  const berlin = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const end = (now: string, quiet = berlin) =>
    endOfQuiet(new Date(now), quiet)?.toISOString() ?? null;

  test.each([
    ['2026-11-20T20:59:59.999Z', null],
    ['2026-11-20T21:00:00.000Z', '2026-11-21T06:00:00.000Z'],
    ['2026-11-21T05:59:59.999Z', '2026-11-21T06:00:00.000Z'],
    ['2026-11-21T06:00:00.000Z', null],
    // Clocks go back at 3:00 on 25 October, and forward at 2:00 on 29 March.
    ['2026-10-24T20:00:00.000Z', '2026-10-25T06:00:00.000Z'],
    ['2026-03-28T21:00:00.000Z', '2026-03-29T05:00:00.000Z'],
  ])('at %s, until %s', (now, until) => {
    expect(end(now)).toBe(until);
  });

  test('that end in an hour that there is not, or twice', () => {
    const quiet = { ...berlin, to: '02:30' };
    expect(end('2026-03-29T00:59:00.000Z', quiet)).toBe('2026-03-29T01:00:00.000Z');
    expect(end('2026-10-24T23:00:00.000Z', quiet)).toBe('2026-10-25T00:30:00.000Z');
    expect(end('2026-10-25T01:00:00.000Z', quiet)).toBe('2026-10-25T01:30:00.000Z');
  });

  test('that begin when they end are none', () => {
    expect(end('2026-11-20T21:00:00.000Z', { ...berlin, to: '22:00' })).toBeNull();
  });

  test('end within a day and an hour, at a minute at which they do not begin again', () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const clock = (minutes: number) =>
      `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'UTC',
    );
    const when = fc.integer({ min: 0, max: 366 * 24 * 60 });
    fc.assert(
      fc.property(minute, minute, zones, when, (from, to, timeZone, offset) => {
        const quiet = { from: clock(from), to: clock(to), timeZone };
        const now = new Date(NOON + offset * 60_000);
        const until = endOfQuiet(now, quiet);
        if (until === null) return;
        expect(until.getTime()).toBeGreaterThan(now.getTime());
        expect(until.getTime() - now.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
        expect(endOfQuiet(until, quiet)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});
