import { describe, expect, test } from 'bun:test';
import {
  byDay,
  dayName,
  fieldsOf,
  laterIds,
  merged,
  reversed,
  undoSentence,
} from '../../src/web/changelog/describe.ts';
import { lineDiff } from '../../src/web/changelog/line-diff.ts';
import type { Entry } from '../../src/web/lib/types.ts';

const entry = (more: Partial<Entry> = {}): Entry => ({
  id: 1,
  userId: 'u',
  userName: 'Ada',
  action: 'update',
  domain: 'a.example',
  diff: null,
  createdAt: '2026-11-21T12:00:00.000Z',
  via: null,
  ...more,
});
const diffOf = (old: object, now: object) => JSON.stringify({ old, new: now });

describe('the fields of an update', () => {
  test.each([null, '', 'not JSON', '7', 'null', '[]', '{"old":1,"new":2}', '{"old":{}}'])(
    '%p is no diff, and has none',
    (diff) => {
      expect(fieldsOf(diff)).toEqual([]);
    },
  );

  test('config line by line, the rest as old and new', () => {
    const diff = diffOf(
      { config: 'respond a', enabled: true, upstream: '', domain: 'a.example' },
      { config: 'respond b', enabled: false, upstream: 'x:1', domain: 'b.example' },
    );
    expect(fieldsOf(diff)).toEqual([
      { field: 'config', kind: 'text', old: 'respond a', new: 'respond b' },
      { field: 'enabled', kind: 'value', old: 'on', new: 'off' },
      { field: 'upstream', kind: 'value', old: 'none', new: 'x:1' },
      { field: 'domain', kind: 'value', old: 'a.example', new: 'b.example' },
    ]);
    expect(reversed(fieldsOf(diff))[1]).toMatchObject({ old: 'off', new: 'on' });
  });
});

describe('lines', () => {
  test('that are the same are no difference', () => {
    expect(lineDiff('', '')).toEqual([]);
    expect(lineDiff('a\nb', 'a\nb')).toEqual([]);
  });

  test('added to the end leave the last one alone', () => {
    expect(lineDiff('a', 'a\nb')).toEqual([
      { kind: 'context', text: 'a' },
      { kind: 'add', text: 'b' },
    ]);
  });

  test('far apart come with their places', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `l${at}`);
    const found = lineDiff(lines.join('\n'), lines.with(1, 'x').with(25, 'y').join('\n'));
    expect(found.filter(({ kind }) => kind === 'hunk')).toEqual([
      { kind: 'hunk', text: 'line 23' },
    ]);
    expect(found.filter(({ kind }) => kind === 'add').map(({ text }) => text)).toEqual(['x', 'y']);
    expect(found.filter(({ kind }) => kind === 'remove')).toHaveLength(2);
  });

  test('that begin like a sign stay whole', () => {
    expect(lineDiff('', '--- a\n+++ b\n@@ x')).toEqual([
      { kind: 'add', text: '--- a' },
      { kind: 'add', text: '+++ b' },
      { kind: 'add', text: '@@ x' },
    ]);
  });
});

describe('what an undo will do', () => {
  test.each([
    ['create', 'The site a.example is deleted, and no longer served.'],
    ['delete', 'The site a.example comes back as it was before it was deleted.'],
    ['toggle', 'The site a.example is switched back'],
    ['update', 'What was changed of a.example becomes what it was before'],
  ] as const)('of a %s', (action, words) => {
    expect(undoSentence(entry({ action }))).toStartWith(words);
  });

  test('of an update names its fields, of the preamble all sites', () => {
    const diff = diffOf({ config: 'a', upstream: '' }, { config: 'b', upstream: 'c' });
    expect(undoSentence(entry({ diff }))).toStartWith(
      'Config and upstream of the site a.example become what they were before',
    );
    expect(undoSentence(entry({ domain: '(preamble)', diff }))).toContain('all sites');
  });

  test('the later changes are read out of a refusal alone', () => {
    expect(laterIds('changed since by 5, 12')).toEqual([5, 12]);
    for (const other of [null, '', 'line 3: no such thing']) expect(laterIds(other)).toEqual([]);
  });
});

test('days are local, in the order of their entries', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
  const list = [at(21, 9), at(21, 0), at(20, 23)].map((createdAt, id) => entry({ id, createdAt }));
  expect(byDay(list).map(({ day, entries }) => [day, entries.length])).toEqual([
    ['2026-11-21', 2],
    ['2026-11-20', 1],
  ]);
  const now = new Date(2026, 10, 21, 12);
  expect(dayName('2026-11-21', now)).toBe('Today');
  expect(dayName('2026-11-20', now)).toBe('Yesterday');
  expect(dayName('2026-11-01', now)).toBe('Sunday, November 1, 2026');
  expect(dayName('2026-10-31', new Date(2026, 10, 1, 0))).toBe('Yesterday');
});

test('a fresh page stands before older ones, without doubles', () => {
  const ids = (...list: number[]) => list.map((id) => entry({ id }));
  expect(merged(ids(9, 8, 7), ids(8, 7, 6, 5)).map(({ id }) => id)).toEqual([9, 8, 7, 6, 5]);
  expect(merged([], ids(2)).map(({ id }) => id)).toEqual([]);
});
