/** Hostile text and live rows. */
import { describe, expect, test } from 'bun:test';
import type { LogEntry } from '../../src/web/lib/types.ts';
import {
  arrive,
  below,
  DRAWN_AT_ONCE,
  KEPT,
  NO_ROWS,
  release,
  type TailRow,
} from '../../src/web/logs/tail-rows.ts';
import { classOf, cut, shown, visible } from '../../src/web/logs/values.tsx';

const entry = (path: string, more: Partial<LogEntry> = {}): LogEntry => ({
  timestamp: '2026-11-21T10:00:00.000Z',
  domain: 'a.example',
  method: 'GET',
  path,
  status: 200,
  latency: '1ms',
  ip: '192.0.2.1',
  ...more,
});
const rowsOf = (first: number, count: number): TailRow[] =>
  Array.from({ length: count }, (_, at) => ({ id: first + at, entry: entry(`/${first + at}`) }));
const ids = (rows: readonly TailRow[]) => rows.map(({ id }) => id);

describe('hostile text', () => {
  test('cannot reorder or hide anything', () => {
    const text = visible(
      'a\u202eb\u0000\u0007\u200b\u2066\u2028\ufeff\u00ad\ufe0f\ud800\u{e0041}\u007f\u009b',
    );
    expect(text).toStartWith('a⟨U+202E⟩b⟨U+0000⟩⟨U+0007⟩⟨U+200B⟩⟨U+2066⟩⟨U+2028⟩⟨U+FEFF⟩⟨U+00AD⟩');
    expect(text).toEndWith('⟨U+FE0F⟩⟨U+D800⟩⟨U+E0041⟩⟨U+007F⟩⟨U+009B⟩');
    expect(visible('/ünïcödé/שלום/💡?a=<b>&"')).toBe('/ünïcödé/שלום/💡?a=<b>&"');
  });

  test('is cut, but never inside a character', () => {
    expect(cut('a💡b', 2)).toBe('a');
    expect(cut('a💡b', 3)).toBe('a💡');
    expect(shown('abc', 3)).toBe('abc');
    expect(shown('a'.repeat(900_000), 10)).toBe(`${'a'.repeat(10)}…`);
    expect(shown('\u0000'.repeat(900_000), 2)).toBe('⟨U+0000⟩⟨U+0000⟩…');
  });
});

test('a status outside the classes is “other”', () => {
  expect([0, 99, 100, 204, 399, 404, 499, 599, 600, -5, 999].map(classOf)).toEqual([
    'other',
    'other',
    '1xx',
    '2xx',
    '3xx',
    '4xx',
    'other',
    '5xx',
    'other',
    'other',
    'other',
  ]);
});

describe('live rows', () => {
  test('are shown newest first', () => {
    const rows = arrive(arrive(NO_ROWS, rowsOf(0, 2), false), rowsOf(2, 2), false);
    expect(ids(rows.shown)).toEqual([3, 2, 1, 0]);
    expect(rows.unseen).toBe(0);
  });

  test('wait while the log is paused, and all count', () => {
    const before = arrive(NO_ROWS, rowsOf(0, 1), false);
    let held = arrive(before, rowsOf(1, KEPT), true);
    held = arrive(held, rowsOf(KEPT + 1, 7), true);
    expect(ids(held.shown)).toEqual([0]);
    expect([held.unseen, held.waiting.length]).toEqual([KEPT + 7, KEPT]);
    const after = release(held);
    expect([after.unseen, after.waiting.length, after.shown.length]).toEqual([0, 0, KEPT]);
    expect(after.shown[0]?.id).toBe(KEPT + 7);
    expect(release(before)).toEqual(before);
  });

  test('that arrive too fast are replaced by their number', () => {
    const { shown: rows } = arrive(
      NO_ROWS,
      [{ id: 0, missed: 5 }, ...rowsOf(1, DRAWN_AT_ONCE + 2)],
      false,
    );
    expect(rows).toHaveLength(DRAWN_AT_ONCE + 1);
    expect(rows.at(-1)).toEqual({ id: 2, missed: 7 });
    const gone = arrive(NO_ROWS, [{ id: 0, missed: null }, ...rowsOf(1, DRAWN_AT_ONCE)], false);
    expect(gone.shown.at(-1)).toEqual({ id: 0, missed: null });
  });

  test('each hide one equal entry of the page below', () => {
    const twin = entry('/1');
    const rows = arrive(
      NO_ROWS,
      [
        { id: 0, entry: entry('/1') },
        { id: 1, missed: 3 },
      ],
      true,
    );
    expect(below(rows, [twin, twin, entry('/old', { ip: '::1' })])).toEqual([
      { at: 1, entry: twin },
      { at: 2, entry: entry('/old', { ip: '::1' }) },
    ]);
    expect(below(NO_ROWS, [twin])).toEqual([{ at: 0, entry: twin }]);
    // The same request to another proxy is another one.
    expect(below(rows, [{ ...twin, agent: 'vps' }])).toHaveLength(1);
  });

  test('push out the last entries of the page', () => {
    const rows = release(arrive(NO_ROWS, rowsOf(0, KEPT - 1), true));
    const page = [entry('/a', { ip: '::1' }), entry('/b', { ip: '::1' })];
    expect(below(rows, page).map(({ at }) => at)).toEqual([0]);
  });
});
