import { expect, test } from 'bun:test';
import { Elysia, t } from 'elysia';
import { errors, jsonBody, lateBodies } from '../../agent/http.ts';

const app = new Elysia()
  .use(errors({ report: (error) => expect(error).toBeNull() }))
  .use(lateBodies())
  .use(jsonBody(1024))
  .post('/', ({ body }) => Response.json(body), { body: t.Unknown() });

const post = (body: string) =>
  app
    .handle(new Request('http://agent/', { method: 'POST', body }))
    .then((answer) => answer.text());

test.each([
  ['arrays', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['objects', `${'{"":'.repeat(33)}1${'}'.repeat(33)}`],
  ['what stands behind strings', `["\\\\","\\"[",${'['.repeat(32)}${']'.repeat(32)}]`],
])('%s that are nested too deeply are refused', async (_, body) => {
  expect(await post(body)).toContain('INVALID_JSON');
});

test.each([
  ['nesting up to the bound', `{"a":${'['.repeat(31)}${']'.repeat(31)}}`],
  ['brackets in strings', JSON.stringify({ a: '['.repeat(100), [`${'{'.repeat(100)}`]: '\\"{[' })],
  ['a string that ends in a backslash', JSON.stringify({ a: ['\\', '['.repeat(50), '\\\\"'] })],
  ['many neighbours', `{"a":[${'[],'.repeat(200)}[]]}`],
])('%s passes', async (_, body) => {
  expect(await post(body)).toBe(JSON.stringify(JSON.parse(body)));
});

test('a string without its end is no JSON', async () => {
  expect(await post('["abc')).toContain('INVALID_JSON');
  expect(await post('["abc\\"')).toContain('INVALID_JSON');
});
