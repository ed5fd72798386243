/** What the dashboard makes of policies: names, orders, summaries, and where a refusal belongs. */
import { describe, expect, test } from 'bun:test';
import { ApiError } from '../../src/web/lib/api.ts';
import { hueOf } from '../../src/web/lib/hue.ts';
import type { Policy } from '../../src/web/lib/types.ts';
import { hasOf } from '../../src/web/parts/tick-list.tsx';
import { planBlock, siteOf } from '../../src/web/placement/block.ts';
import { faultOf, isShownAt } from '../../src/web/placement/new-policy-form.tsx';
import { freeName, startOf, summaryOf, withPolicy } from '../../src/web/placement/store.ts';
import { isFilled } from '../../src/web/recipes/schema.ts';
import { site } from './samples.ts';

const USERS = {
  required: ['users'],
  properties: {
    users: {
      title: 'Users',
      type: 'array',
      minItems: 1,
      items: { required: ['name'], properties: { name: { type: 'string' } } },
    },
    compress: { title: 'Compress', type: 'boolean' },
    status: { title: 'Status', type: 'integer' },
  },
};

describe('a refusal', () => {
  const refusal = (body: object) => new ApiError(400, { message: 'No.', ...body }, null);

  test('of a bulk request, and one without a field, belong to no field', () => {
    expect(faultOf(new Error('x'))).toBeNull();
    expect(faultOf(refusal({}))).toBeNull();
    expect(faultOf(refusal({ field: 'operations.0.policies' }))).toBeNull();
    expect(isShownAt(null, USERS)).toBe(false);
    expect(isShownAt({ field: 'values', message: '' }, USERS)).toBe(false);
  });

  test('belongs to the field that it names, also in the proxy’s own words', () => {
    expect(faultOf(refusal({ field: 'users.0.password' }))).toEqual({
      field: 'users.0.password',
      message: 'No.',
    });
    const policy = { name: 'lan-only', field: 'networks' };
    expect(faultOf(refusal({ policy, detail: 'bad network' }))).toEqual({
      field: 'networks',
      message: 'bad network',
    });
    expect(isShownAt({ field: 'users.0.password', message: '' }, USERS)).toBe(true);
    expect(isShownAt({ field: 'name', message: '' }, USERS)).toBe(true);
  });
});

test('a form is incomplete without what is required, also inside a list', () => {
  expect(isFilled(USERS, {})).toBe(false);
  expect(isFilled(USERS, { users: [] })).toBe(false);
  expect(isFilled(USERS, { users: [{ password: 'x' }] })).toBe(false);
  expect(isFilled(USERS, { users: [{ name: 'ada' }] })).toBe(true);
});

test('the name of a new policy is one that no other has', () => {
  expect(freeName('sign-in', ['sign-in', 'sign-in-2'])).toBe('sign-in-3');
  expect(startOf('allow', ['lan-only'])).toEqual({
    name: 'lan-only-2',
    values: { networks: ['private_ranges'] },
  });
  expect(startOf('robots', [])).toEqual({ name: 'robots', values: {} });
});

test('a policy that refuses strangers comes before one that asks who they are', () => {
  expect(withPolicy(['sign-in'], 'sign-in', 'authelia')).toEqual(['sign-in']);
  expect(withPolicy(['sign-in'], 'blocked', 'block')).toEqual(['blocked', 'sign-in']);
  expect(withPolicy(['sign-in'], 'down', 'maintenance')).toEqual(['down', 'sign-in']);
  expect(withPolicy(['blocked'], 'password', 'basic-auth')).toEqual(['blocked', 'password']);
});

test('a summary names what is set, and the first of many', () => {
  expect(summaryOf(undefined, { users: [] })).toBe('');
  expect(summaryOf(USERS, { compress: false })).toBe('');
  const users = ['ada', 'grace', 'alan', 'edsger', 'barbara'].map((name) => ({ name }));
  expect(summaryOf(USERS, { users, compress: true, status: 404 })).toBe(
    'Users: ada, grace, alan and 2 more · Compress · Status: 404',
  );
});

test('a box is ticked if all sites have it, and half ticked if some have', () => {
  expect(hasOf('a', [['a'], ['a', 'b']])).toBe('all');
  expect(hasOf('b', [['a'], ['a', 'b']])).toBe('some');
  expect(hasOf('c', [['a'], ['a', 'b']])).toBe('none');
});

test('a tag has the same colour everywhere, and other tags have others', () => {
  const hues = ['media', 'home', 'work', 'lab', 'family', 'public', 'test', 'old'].map(hueOf);
  expect(hueOf('media')).toBe(hueOf('media'));
  expect(new Set(hues).size).toBeGreaterThan(3);
  expect(Math.max(...hues)).toBeLessThan(8);
});

describe('an address is blocked', () => {
  const [a, b] = [site(), site({ id: 2, domain: 'https://b.example:8443' })];
  const both = [a, b];
  const block = (change: Partial<Policy>): Policy => ({
    id: 1,
    name: 'blocked',
    recipe: 'block',
    values: { networks: ['198.51.100.7'] },
    source: null,
    everywhere: false,
    vhosts: [],
    createdAt: '',
    updatedAt: '',
    ...change,
  });
  const plan = (policies: Policy[], of = a, address = '203.0.113.9') => {
    const planned = planBlock(address, of, policies, both);
    const on = planned.kind === 'done' ? [] : planned.on.map(({ id }) => id);
    return [planned.kind, planned.kind === 'create' ? planned.name : planned.policy.name, on];
  };
  const everywhere = (policies: Policy[]) => planBlock('203.0.113.9', null, policies, both);

  test('not by a policy that other sites have too, nor by one of another kind', () => {
    expect(plan([block({ vhosts: [1, 2] })])).toEqual(['create', 'blocked-app-example', [1]]);
    const allow = block({ recipe: 'allow', name: 'blocked-app-example', vhosts: [1] });
    expect(plan([allow])).toEqual(['create', 'blocked-app-example-2', [1]]);
  });

  test('by the policy that only this site has, or by the one of its name', () => {
    expect(plan([block({ name: 'mine', vhosts: [1] })])).toEqual(['extend', 'mine', []]);
    expect(plan([block({ name: 'blocked-app-example' })])).toEqual([
      'extend',
      'blocked-app-example',
      [1],
    ]);
    expect(plan([], b)).toEqual(['create', 'blocked-b-example-8443', [2]]);
  });

  test('on all sites by the policy of all, which is put on those without it', () => {
    const wide = { everywhere: true };
    expect(everywhere([])).toMatchObject({ kind: 'create', name: 'blocked', on: both, ...wide });
    expect(everywhere([block({ vhosts: [1] })])).toMatchObject({
      kind: 'extend',
      on: [b],
      ...wide,
    });
    expect(everywhere([block({ name: 'x', vhosts: [1] })])).toMatchObject({ kind: 'create' });
    const all = block({ name: 'x', vhosts: [1, 2], ...wide });
    expect(everywhere([all])).toMatchObject({ kind: 'extend', policy: all, on: [], ...wide });
    // On the only site there is, but also on those that come later.
    const lone = block({ vhosts: [1], ...wide });
    expect(plan([lone])).toEqual(['create', 'blocked-app-example', [1]]);
  });

  test('only once', () => {
    const values = { networks: ['203.0.113.9'] };
    expect(plan([block({ values, vhosts: [1, 2] })])).toEqual(['done', 'blocked', []]);
    expect(everywhere([block({ values, vhosts: [1] })]).kind).toBe('extend');
    expect(everywhere([block({ values, vhosts: [1, 2] })]).kind).toBe('extend');
    expect(everywhere([block({ values, vhosts: [1, 2], everywhere: true })]).kind).toBe('done');
  });

  test('on the site that the request was for', () => {
    const pattern = site({ id: 3, addresses: ['*.b.example', 'http://c.example:81/x'] });
    expect(siteOf('other.example', [...both, pattern])).toBeNull();
    expect(siteOf('x.y.b.example', [pattern])).toBeNull();
    expect(siteOf('b.example', [pattern, ...both])?.id).toBe(2);
    expect(siteOf('x.b.example', [pattern])?.id).toBe(3);
    expect(siteOf('c.example', [pattern])?.id).toBe(3);
  });
});
