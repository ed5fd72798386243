import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Failure, type Location, sentenceOf } from '../../src/shared/failure.ts';
import { errors } from '../../src/shared/http.ts';

const vhost = { id: 7, domain: 'a.example', line: 3 };

/** The error body of an app that throws `failure`. */
async function bodyOf(failure: Failure, words = false): Promise<unknown> {
  const app = new Elysia().use(errors({ report: () => {}, words })).get('/', () => {
    throw failure;
  });
  return (await app.handle(new Request('http://a.example/'))).json();
}

const rejected = (at: Location, detail = 'no such directive') =>
  new Failure('PROXY_REJECTED', 'Refused.', { detail, at });

describe('the line on the wire is one of the text that was sent', () => {
  test.each<[string, Location, unknown]>([
    ['not one of another vhost', { vhost }, undefined],
    ['not one of the preamble', { preamble: { line: 2 } }, undefined],
    ['not one of an operation among several', { operation: 2, line: 4 }, undefined],
    ['the one of the text itself', { line: 4 }, 4],
  ])('%s', async (_, at, line) => {
    expect(await bodyOf(rejected(at))).toMatchObject({ code: 'PROXY_REJECTED' });
    expect(((await bodyOf(rejected(at))) as { line?: number }).line).toBe(line as never);
  });
});

test.each<[Location, string]>([
  [{}, 'no such directive'],
  [{ line: 4 }, 'line 4: no such directive'],
  [{ vhost }, 'in a.example, line 3: no such directive'],
  [{ preamble: {} }, 'preamble: no such directive'],
  [{ preamble: { line: 2 }, line: 2 }, 'preamble, line 2: no such directive'],
  [{ operation: 2, vhost }, 'operation 2, in a.example, line 3: no such directive'],
  [{ field: 'domain' }, 'no such directive'],
])('%j is said in one sentence', (at, sentence) => {
  expect(sentenceOf(rejected(at))).toBe(sentence);
});

test('without a detail the message follows the place, and nothing follows no place', () => {
  const taken = new Failure('DOMAIN_TAKEN', 'Taken.');
  expect(sentenceOf(taken)).toBeUndefined();
  expect(sentenceOf(taken.about({ operation: 1 }))).toBe('operation 1: Taken.');
});

test('a body holds what is known, and the bare words only for the hub', async () => {
  const failure = new Failure('REVERT_CONFLICT', 'Later changes.', {
    detail: 'nonsense',
    at: { line: 1, field: 'config' },
    changes: [4, 5],
    cause: new Error('private'),
  });
  const body = {
    code: 'REVERT_CONFLICT',
    message: 'Later changes.',
    detail: 'line 1: nonsense',
    line: 1,
    field: 'config',
    changes: [4, 5],
  };
  expect(await bodyOf(failure)).toEqual(body);
  expect(await bodyOf(failure, true)).toEqual({ ...body, words: 'nonsense' });
});
