/** How changes are described, compared and grouped. */
import { describe, expect, test } from 'bun:test';
import { addressOf, readFilter } from '../../src/web/changelog/changelog.tsx';
import {
  alone,
  applyWords,
  byDay,
  dayName,
  isFinal,
  kindOf,
  lineOf,
  merged,
  subjectOf,
  summaryIn,
  undoSentence,
  wordOf,
} from '../../src/web/changelog/describe.ts';
import { namedFields, valuesOf } from '../../src/web/changelog/field-values.tsx';
import { fieldsOf, reversed } from '../../src/web/changelog/fields.ts';
import { clockTime } from '../../src/web/lib/format.ts';
import type { Entry } from '../../src/web/lib/types.ts';
import { lineDiff } from '../../src/web/parts/diff-view.tsx';

const entry = (more: Partial<Entry> = {}): Entry => ({
  id: 1,
  userId: 'u',
  userName: 'Ada',
  action: 'update',
  domain: 'a.example',
  diff: null,
  enabled: null,
  createdAt: '2026-11-21T12:00:00.000Z',
  via: null,
  group: 1,
  ...more,
});
const diffOf = (old: object, now: object) => JSON.stringify({ old, new: now });

describe('the fields of an update', () => {
  test('are the names of a site, not the block that has them, if only these were changed', () => {
    const one = { config: 'respond hi' };
    const two = { config: 'a.lan, b.lan {\n\trespond hi\n}' };
    const names = { field: 'names', kind: 'value' } as const;
    expect(fieldsOf(diffOf(one, two))).toEqual([{ ...names, old: 'a.lan', new: 'a.lan, b.lan' }]);
    expect(fieldsOf(diffOf(two, { config: 'a.lan {\n\trespond ho\n}' }))).toEqual([
      { field: 'config', kind: 'text', old: 'respond hi', new: 'respond ho' },
      { ...names, old: 'a.lan, b.lan', new: 'a.lan' },
    ]);
    const other = { config: 'a.lan, b.lan {\n\trespond ho\n}' };
    expect(fieldsOf(diffOf(two, other))).toEqual([
      { field: 'config', kind: 'text', old: two.config, new: other.config },
    ]);
    expect(fieldsOf(diffOf({ ...one, domain: 'c.lan' }, { ...two, domain: 'a.lan' }))).toEqual([
      { field: 'domain', kind: 'value', old: 'c.lan', new: 'a.lan' },
      { ...names, old: 'c.lan', new: 'a.lan, b.lan' },
    ]);
  });

  test.each([null, '', 'not JSON', '7', 'null', '[]', '{"old":1,"new":2}', '{"old":{}}'])(
    '%p is not a diff and has no fields',
    (diff) => {
      expect(fieldsOf(diff)).toEqual([]);
    },
  );

  test('are compared line by line for config, and as old and new for the rest', () => {
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

  test('show lists as words, and long ones line by line', () => {
    const diff = diffOf(
      { tags: [], policies: ['a'] },
      { tags: ['media', 'tv'], policies: ['a', 'b'.repeat(40), 'c'.repeat(40)] },
    );
    expect(fieldsOf(diff)).toEqual([
      { field: 'tags', kind: 'value', old: 'none', new: 'media, tv' },
      { field: 'policies', kind: 'text', old: 'a', new: `a\n${'b'.repeat(40)}\n${'c'.repeat(40)}` },
    ]);
  });

  test('show a check as a sentence, with what holds where it says nothing', () => {
    const check = { path: '/health', contains: 'ready' };
    expect(fieldsOf(diffOf({ check: null }, { check }))).toEqual([
      {
        field: 'check',
        kind: 'value',
        old: 'none',
        new: 'GET /health answers 2xx with “ready” within 5 s, asked every 60 s',
      },
    ]);
    const strict = { path: '/', status: 200, within: 0.5, every: 0 };
    expect(fieldsOf(diffOf({ check }, { check: strict }))[0]?.new).toBe(
      'GET / answers 200 within 0.5 s, asked only at changes',
    );
    expect(fieldsOf(diffOf({ check: 'x' }, { check: { path: 1 } }))[0]?.new).toBe('{"path":1}');
  });

  test('of a policy are its name and the values that changed, but no passwords', () => {
    const users = (...names: string[]) => names.map((name) => ({ name }));
    const same = { values: { users: users('ada') } };
    expect(fieldsOf(diffOf(same, same))).toEqual([
      { field: 'passwords', kind: 'value', old: 'hidden', new: 'changed', isOfPolicy: true },
    ]);
    const diff = diffOf(
      { name: 'a', values: { users: users('ada'), status: 403 } },
      { name: 'b', values: { users: users('ada', 'grace'), status: 403 } },
    );
    expect(fieldsOf(diff)).toEqual([
      { field: 'name', kind: 'value', old: 'a', new: 'b' },
      { field: 'users', kind: 'value', old: 'ada', new: 'ada, grace', isOfPolicy: true },
    ]);
  });
});

describe('the line of a change', () => {
  const lineIn = (old: object, now: object, more: Partial<Entry> = {}) =>
    namedFields(entry({ diff: diffOf(old, now), ...more })).map(
      (change) => `${change.field}${valuesOf(change)}`,
    );

  test('has no field that its words already say', () => {
    expect(lineIn({ enabled: true }, { enabled: false })).toEqual([]);
    expect(lineIn({ paused: false }, { paused: true }, { domain: '(agent vps)' })).toEqual([]);
    expect(lineIn({}, {}, { action: 'create', diff: null })).toEqual([]);
  });

  test('has short values', () => {
    expect(
      lineIn(
        { upstream: '10.0.0.5:80', enabled: true, tags: [] },
        { upstream: '10.0.0.6:80', enabled: false, tags: ['tv'] },
      ),
    ).toEqual(['upstream 10.0.0.5:80 → 10.0.0.6:80', 'enabled on → off', 'tags none → tv']);
  });

  test('has a word for texts, for long values, and for those of policies', () => {
    const config = { old: 'a\nb\nc\nd', new: 'a\nB\nc\nd\ne\nf' };
    expect(lineIn({ config: config.old }, { config: config.new })).toEqual([
      'config, 3 lines changed',
    ]);
    expect(lineIn({ config: 'a' }, { config: 'b' })).toEqual(['config, 1 line changed']);
    expect(lineIn({ domain: 'a' }, { domain: 'b'.repeat(61) })).toEqual(['domain changed']);
    const users = (...names: string[]) => ({ values: { users: names.map((name) => ({ name })) } });
    expect(lineIn(users('ada'), users('ada', 'grace'))).toEqual(['users changed']);
    expect(lineIn(users('ada'), users('ada'))).toEqual(['passwords changed']);
    const lists = { networks: ['a'.repeat(40)] };
    const more = { networks: [...lists.networks, 'b'.repeat(40)] };
    expect(lineIn({ values: lists }, { values: more })).toEqual(['networks, 1 line changed']);
  });
});

describe('a line diff', () => {
  test('of many scattered lines gives all old lines, then all new ones', () => {
    const lines = (name: string) =>
      Array.from({ length: 20_000 }, (_, at) => `${at % 2 ? name : 'same'} ${at}`).join('\n');
    const kinds = lineDiff(lines('old'), lines('new')).map(({ kind }) => kind);
    expect(kinds.lastIndexOf('remove')).toBe(19_999);
    expect(kinds.indexOf('add')).toBe(20_000);
    expect(kinds).toHaveLength(40_000);
  });

  test('of equal texts is empty', () => {
    expect(lineDiff('', '')).toEqual([]);
    expect(lineDiff('a\nb', 'a\nb')).toEqual([]);
  });

  test('does not change the last line when lines are appended', () => {
    expect(lineDiff('a', 'a\nb')).toEqual([
      { kind: 'context', text: 'a' },
      { kind: 'add', text: 'b' },
    ]);
  });

  test('shows the line number of distant changes', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `l${at}`);
    const found = lineDiff(lines.join('\n'), lines.with(1, 'x').with(25, 'y').join('\n'));
    expect(found.filter(({ kind }) => kind === 'hunk')).toEqual([
      { kind: 'hunk', text: 'line 23' },
    ]);
    expect(found.filter(({ kind }) => kind === 'add').map(({ text }) => text)).toEqual(['x', 'y']);
    expect(found.filter(({ kind }) => kind === 'remove')).toHaveLength(2);
  });

  test('keeps lines that start like a diff sign', () => {
    expect(lineDiff('', '--- a\n+++ b\n@@ x')).toEqual([
      { kind: 'add', text: '--- a' },
      { kind: 'add', text: '+++ b' },
      { kind: 'add', text: '@@ x' },
    ]);
  });
});

describe('the description of an undo', () => {
  test.each([
    ['create', 'Deletes the site a.example. Caddy stops serving it.'],
    ['delete', 'Restores the deleted site a.example.'],
    ['update', 'Restores the changed fields of the site a.example from before this change'],
  ] as const)('of a %s', (action, words) => {
    expect(undoSentence(entry({ action }))).toStartWith(words);
  });

  test('of an update names its fields; of the preamble, says it affects all sites', () => {
    const diff = diffOf({ config: 'a', upstream: '' }, { config: 'b', upstream: 'c' });
    expect(undoSentence(entry({ diff }))).toStartWith(
      'Restores the config and upstream of the site a.example from before',
    );
    expect(undoSentence(entry({ domain: '(preamble)', diff }))).toContain('all sites');
    const known = entry({ action: 'create', domain: '(problem a (b) is down.)' });
    expect([wordOf(known), subjectOf(known.domain)]).toEqual(['Known:', 'a (b) is down.']);
    expect(undoSentence(known)).toBe('Counts the problem again.');
    expect(wordOf({ ...known, action: 'delete' })).toBe('No longer known:');
  });

  test('of a policy says that it affects all its sites', () => {
    const domain = '(policy lan-only)';
    const diff = diffOf({ values: { networks: ['a'] } }, { values: { networks: ['b'] } });
    expect(undoSentence(entry({ domain, diff }))).toBe(
      'Restores the networks of the policy lan-only from before this change, on all its sites.',
    );
    expect(undoSentence(entry({ domain, action: 'create' }))).toBe('Deletes the policy lan-only.');
    expect(subjectOf(domain)).toBe('the policy lan-only');
    expect(subjectOf('a.example')).toBe('a.example');
  });

  test('of a certificate names no site', () => {
    const domain = '(certificate home)';
    expect(subjectOf(domain)).toBe('the certificate home');
    expect(undoSentence(entry({ domain, action: 'create' }))).toStartWith(
      'Deletes the certificate home.',
    );
    expect(undoSentence(entry({ domain }))).toStartWith('Restores the certificate home from');
    expect(wordOf(entry({ domain }))).toBe('Changed');
  });
});

describe('a change of a proxy', () => {
  const agent = (diff: object | null, action: Entry['action'] = 'update') =>
    entry({ domain: '(agent vps)', action, diff: diff && JSON.stringify(diff) });
  const of = (old: object, now: object) => {
    const shown = { name: 'vps', paused: false, generation: 1 };
    return { old: { ...shown, ...old }, new: { ...shown, ...now } };
  };

  test('cannot be undone, unlike one of its preamble', () => {
    expect(isFinal(agent(null, 'delete'))).toBe(true);
    expect(isFinal({ domain: '(preamble vps)' })).toBe(false);
    expect(isFinal({ domain: 'a.example' })).toBe(false);
  });

  test('has its own words, and shows only what changed', () => {
    expect(wordOf(agent(null, 'create'))).toBe('Added');
    expect(wordOf(agent(null, 'delete'))).toBe('Removed');
    expect(wordOf(agent(of({}, { paused: true })))).toBe('Paused');
    expect(wordOf(agent(of({ paused: true }, {})))).toBe('Resumed');
    const renamed = agent(of({ name: 'old' }, { generation: 2 }));
    expect(wordOf(renamed)).toBe('Changed');
    expect(fieldsOf(renamed.diff)).toEqual([
      { field: 'name', kind: 'value', old: 'old', new: 'vps' },
      { field: 'token', kind: 'value', old: '1', new: '2' },
    ]);
    expect(subjectOf('(agent vps)')).toBe('the proxy vps');
    expect(kindOf({ domain: '(agent vps)' })).toBe('this proxy');
  });

  test('of its preamble says whose it is', () => {
    const domain = '(preamble vps)';
    expect(subjectOf(domain)).toBe('the Caddy options of vps');
    expect(kindOf({ domain })).toBe('the Caddy options of vps');
    expect(undoSentence(entry({ domain }))).toContain('the Caddy options of vps');
    expect(undoSentence(entry({ domain }))).toContain('all its sites');
  });

  test('of where a site is served names the proxies', () => {
    expect(fieldsOf(diffOf({ agents: [] }, { agents: ['vps'] }))).toEqual([
      { field: 'proxies', kind: 'value', old: 'everywhere', new: 'vps' },
    ]);
  });
});

test('a change by a source is told from one by a token', () => {
  for (const via of [null, '', 'CI', 'apply', 'applying', 'Apply home']) {
    expect(applyWords(via)).toBeNull();
  }
  expect(applyWords('apply home')).toBe('by apply of home');
  expect(applyWords('apply containers/nas')).toBe('by the containers on nas');
});

describe('a toggle', () => {
  test.each([
    [true, 'Turned on', 'Turns the site a.example off again.'],
    [false, 'Turned off', 'Turns the site a.example on again.'],
  ])('to %p', (enabled, word, undo) => {
    const toggle = entry({ action: 'toggle', enabled });
    expect(wordOf(toggle)).toBe(word);
    expect(undoSentence(toggle)).toContain(undo);
    expect(wordOf({ ...toggle, enabled: null, action: 'create' })).toBe('Created');
  });

  test('may be an update that changes nothing else', () => {
    const diff = diffOf({ enabled: true, upstream: '' }, { enabled: false, upstream: 'x:1' });
    expect(wordOf(entry({ diff }))).toBe('Changed');
    const off = entry({ diff: diffOf({ enabled: true }, { enabled: false }) });
    expect(wordOf(off)).toBe('Turned off');
    expect(undoSentence(off)).toBe('Turns the site a.example on again.');
  });
});

test('a filter survives the way through an address, without unknown actions', () => {
  expect(readFilter(new URLSearchParams('action=<b>&x=1&before=3'))).toEqual({
    domain: '',
    user: '',
    group: '',
    action: '',
  });
  expect(addressOf({ domain: '', user: '', action: '', group: '' })).toBe('/changelog');
  const filter = { domain: 'a b&c=d', user: 'u', action: 'toggle', group: '12' } as const;
  const { searchParams } = new URL(addressOf(filter), 'http://x');
  expect(readFilter(searchParams)).toEqual(filter);
  expect(readFilter(new URLSearchParams('group=1x&action=y'))).toMatchObject({
    action: '',
    group: '',
  });
});

test('a group has one line: the hub’s, or of a single change the same words as the change', () => {
  const one = entry({ domain: '(agent vps)', action: 'create' });
  expect(lineOf(alone(one))).toBe('Added the proxy vps');
  expect(lineOf({ ...alone(one), summary: 'Created 2 sites', count: 2 })).toBe('Created 2 sites');
  const policy = alone(entry({ domain: '(policy blocked)' }));
  expect(summaryIn(policy)).toEqual({});
  const summary = 'Blocked 203.0.113.9 on 26 sites';
  expect(summaryIn({ ...policy, summary })).toEqual({ summary });
  expect(lineOf({ ...policy, summary })).toBe(summary);
  const undone = { ...alone(entry({ domain: 'a.example' })), summary: 'Undo: Changed a.example' };
  expect(lineOf(undone)).toBe('Undo: Changed a.example');
});

test('a time has its date in the form of all others', () => {
  const at = new Date(2026, 10, 21, 14, 32, 10).toISOString();
  expect(clockTime(at)).toBe('2026-11-21 14:32');
});

test('entries are grouped by local day, in order', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
  const list = [at(21, 9), at(21, 0), at(20, 23)].map((createdAt, id) => entry({ id, createdAt }));
  expect(byDay(list).map(({ day, entries }) => [day, entries.length])).toEqual([
    ['2026-11-21', 2],
    ['2026-11-20', 1],
  ]);
  const now = new Date(2026, 10, 21, 12);
  expect(dayName('2026-11-21', now)).toBe('Today');
  expect(dayName('2026-11-20', now)).toBe('Yesterday');
  expect(dayName('2026-11-01', now)).toBe('Sunday, 2026-11-01');
  expect(dayName('2026-10-31', new Date(2026, 10, 1, 0))).toBe('Yesterday');
});

test('a new first page is merged with older entries without duplicates', () => {
  const ids = (...list: number[]) => list.map((group) => ({ group }));
  expect(merged(ids(9, 8, 7), ids(8, 7, 6, 5))).toEqual(ids(9, 8, 7, 6, 5));
  expect(merged([], ids(2))).toEqual([]);
});
