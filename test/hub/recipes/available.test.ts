/** Whether a proxy has what a recipe needs. */
import { expect, test } from 'bun:test';
import { lackOf } from '../../../src/hub/recipes/available.ts';

const needs = { caddy: '2.7.0', modules: ['http.handlers.a', 'http.handlers.b'] };
const modules = ['http.handlers.a', 'http.handlers.b', 'http.handlers.c'];

test('an older version, or a module that is missing', () => {
  const old = lackOf(needs, { version: '2.6.2', modules });
  expect(old).toBe('This needs Caddy 2.7.0 or newer; yours is 2.6.2.');
  const bare = lackOf(needs, { version: '2.11.4', modules: ['http.handlers.a'] });
  expect(bare).toBe('Your Caddy was built without the module http.handlers.b.');
});

test('nothing is held against a proxy that has it all, or is not known', () => {
  for (const version of ['2.7.0', '2.10.0-beta.1', '2.11.4', null]) {
    expect(lackOf(needs, { version, modules })).toBeNull();
    expect(lackOf(needs, { version, modules: null })).toBeNull();
  }
  expect(lackOf({}, { version: '2.6.2', modules: [] })).toBeNull();
});
