import { expect, test } from 'bun:test';
import { Elysia, t } from 'elysia';
import { errors } from '../../src/shared/http.ts';
import { jsonBody, lateBodies } from '../../src/shared/json-body.ts';

const createApp = (deadline?: number) =>
  new Elysia()
    .use(errors({ report: (error) => expect(error).toBeNull() }))
    .use(lateBodies())
    .use(jsonBody(1024, deadline))
    .post('/', ({ body }) => Response.json(body), { body: t.Unknown() });
const app = createApp();

const post = (body: string | ReadableStream, to = app) =>
  to.handle(new Request('http://agent/', { method: 'POST', body })).then((answer) => answer.text());

test.each([
  ['arrays', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['objects', `${'{"":'.repeat(33)}1${'}'.repeat(33)}`],
  ['arrays after strings', `["\\\\","\\"[",${'['.repeat(32)}${']'.repeat(32)}]`],
])('%s that are nested too deeply are refused', async (_, body) => {
  expect(await post(body)).toContain('INVALID_JSON');
});

test.each([
  ['nesting up to the limit', `{"a":${'['.repeat(31)}${']'.repeat(31)}}`],
  ['brackets in strings', JSON.stringify({ a: '['.repeat(100), [`${'{'.repeat(100)}`]: '\\"{[' })],
  ['a string that ends in a backslash', JSON.stringify({ a: ['\\', '['.repeat(50), '\\\\"'] })],
  ['many siblings', `{"a":[${'[],'.repeat(200)}[]]}`],
])('%s passes', async (_, body) => {
  expect(await post(body)).toBe(JSON.stringify(JSON.parse(body)));
});

test.each([
  '{"name":{"toString":null}}',
  '{"name":[{"toString":null}]}',
  '{"name":[[{"to\\u0053tring":1}]]}',
])('%s is a field of the wrong type, not an internal error', async (body) => {
  const named = new Elysia()
    .use(errors({ report: (error) => expect(error).toBeNull() }))
    .use(lateBodies())
    .use(jsonBody(1024))
    .post('/', () => 'taken', { body: t.Object({ name: t.String() }) });
  const request = new Request('http://agent/', { method: 'POST', body });
  expect(await (await named.handle(request)).json()).toMatchObject({ code: 'INVALID_REQUEST' });
});

test('an unterminated string is not JSON', async () => {
  expect(await post('["abc')).toContain('INVALID_JSON');
  expect(await post('["abc\\"')).toContain('INVALID_JSON');
});

test('a body that never ends is cut off', async () => {
  const drip = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1);
      controller.enqueue(new TextEncoder().encode(' '));
    },
  });
  expect(await post(drip, createApp(5))).toContain('BODY_TOO_SLOW');
});

test('a body that is longer than it claims is cut off', async () => {
  expect(await post('['.padEnd(1025))).toContain('BODY_TOO_LARGE');
});
