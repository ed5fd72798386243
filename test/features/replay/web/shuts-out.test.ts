/** What the dashboard makes of a replay, and when it suggests one. */
import { describe, expect, test } from 'bun:test';
import { shutsOut } from '../../../../src/features/replay/web/replay.tsx';
import { areGuards } from '../../../../src/web/changelog/field-values.tsx';
import { fieldsOf } from '../../../../src/web/changelog/fields.ts';
import { changesGuards } from '../../../../src/web/lib/guards.ts';
import { diffLines } from '../../../../src/web/parts/diff-view.tsx';
import { operationsOn } from '../../../../src/web/placement/store.ts';
import { site } from '../../../web/samples.ts';

describe('a change of who gets in', () => {
  test.each([
    '+reverse_proxy 127.0.0.1:80',
    ' @lan remote_ip 192.168.0.0/16',
    '@@ -1,2 +1,2 @@ remote_ip',
    '+# abort',
    '+handle /abort {',
    '+respond "403 is not its status" 200',
    '+header X-Robots noindex',
    '-my_forward_authority',
  ])('is not %s', (line) => {
    expect(changesGuards(diffLines(line))).toBe(false);
  });

  test.each([
    '+@lan not remote_ip 192.168.0.0/16',
    '-\tclient_ip private_ranges',
    '+basic_auth {',
    '-basicauth /admin {',
    '+  forward_auth authelia:9091 {',
    '+client_auth {',
    '+abort',
    '-respond @blocked 403',
    '+respond "No." 401',
    '+error 403',
  ])('is %s', (line) => {
    expect(changesGuards(diffLines(line))).toBe(true);
  });

  test('is one of a policy, or of the policies of a site, and not of its upstream', () => {
    const isOne = (old: object, now: object) =>
      areGuards(fieldsOf(JSON.stringify({ old, new: now })));
    expect(isOne({ upstream: 'a:80' }, { upstream: 'b:80' })).toBe(false);
    expect(isOne({ values: { hsts: true } }, { values: { hsts: false } })).toBe(false);
    expect(isOne({ config: 'encode' }, { config: 'encode gzip' })).toBe(false);
    expect(isOne({ config: 'encode' }, { config: 'encode\nabort /x' })).toBe(true);
    expect(isOne({ policies: [] }, { policies: ['lan'] })).toBe(true);
    expect(isOne({ values: { networks: ['::1'] } }, { values: { networks: ['::2'] } })).toBe(true);
    expect(isOne({ values: {} }, { values: {} })).toBe(true);
  });
});

test('visitors are shut out by an error, or if they no longer reach the upstream', () => {
  const reply = (status: number | null) => ({ status, to: null, location: null });
  const shut = (before: number | null, after: number | null) =>
    shutsOut({ before: reply(before), after: reply(after) });
  expect([shut(200, 403), shut(302, null), shut(200, 502)]).toEqual([true, true, true]);
  const isLost = (location: string | null) =>
    shutsOut({
      before: { status: 200, to: '127.0.0.1:80', location: null },
      after: { status: location ? 302 : 200, to: null, location },
    });
  expect([isLost(null), isLost('/login')]).toEqual([true, false]);
  expect([shut(403, 200), shut(200, 302), shut(403, 404)]).toEqual([false, false, false]);
});

describe('the operations of a policy', () => {
  const sites = [site({ id: 1, policies: ['lan'] }), site({ id: 2 })];

  test('put a new one on sites once it is there', () => {
    const fresh = { name: 'new', recipe: 'allow', values: {}, everywhere: false };
    const { recipe: _, ...fields } = fresh;
    expect(operationsOn(fresh, fields, sites, [2])).toEqual([
      { op: 'policy', ...fresh },
      { op: 'update', id: 2, policies: ['new'] },
    ]);
  });

  test('move a stored one by the name that it had', () => {
    const stored = { id: 7, name: 'lan', recipe: 'allow', everywhere: false };
    expect(operationsOn(stored, { name: 'home', everywhere: false }, sites, [2])).toEqual([
      { op: 'update', id: 1, policies: [] },
      { op: 'update', id: 2, policies: ['lan'] },
      { op: 'policy', id: 7, name: 'home', everywhere: false },
    ]);
    expect(operationsOn(stored, { everywhere: true }, sites, [1])).toEqual([
      { op: 'update', id: 2, policies: [], except: ['lan'] },
      { op: 'policy', id: 7, everywhere: true },
    ]);
  });
});
