/** How the dashboard reads the hub’s answers. */
import { describe, expect, spyOn, test } from 'bun:test';
import { ApiError, poll, sentenceOf } from '../../src/web/lib/api.ts';
import { placeError } from '../../src/web/lib/use-form.ts';

const refusal = (body: Record<string, unknown>) => new ApiError(400, body, null);

describe('a refusal', () => {
  test.each([
    [{}, null, null, []],
    [{ field: 7, line: '3', changes: 'changed since by 5' }, null, null, []],
    [{ changes: [5, '12', null, 1.5] }, null, null, [5]],
    [{ field: 'domain', line: 3, changes: [5, 12] }, 'domain', 3, [5, 12]],
  ])('of %o names its field, its line and the changes in the way', (body, field, line, changes) => {
    const error = refusal({ code: 'X', message: 'no', detail: 'domain upstream', ...body });
    expect([error.field, error.line, error.changes]).toEqual([field, line, changes]);
  });

  test('is shown beside its field, and never placed by its wording', () => {
    const names = ['name', 'email'] as const;
    const named = placeError(refusal({ message: 'No.', field: 'email' }), names);
    expect([named.at('email'), named.at('name'), named.notice]).toEqual(['No.', null, null]);
    const unnamed = placeError(refusal({ message: 'The email is wrong.' }), names);
    expect([unnamed.at('email'), unnamed.notice]).toEqual([null, 'The email is wrong.']);
    expect(placeError(null, names).notice).toBeNull();
    expect(placeError(refusal({ message: 'No.', field: 'config' }), names).notice).toBe('No.');
  });

  test('of too many attempts says how long to wait', () => {
    const message = 'Too many attempts. Try again later.';
    const limited = (seconds: number | null) =>
      sentenceOf(new ApiError(429, { code: 'RATE_LIMITED', message }, seconds));
    expect(limited(1)).toBe('Too many attempts. Try again in 1 second.');
    expect(limited(91)).toBe('Too many attempts. Try again in 2 minutes.');
    expect(limited(null)).toBe('Too many attempts. Try again in 60 seconds.');
  });
});

test('what is polled is read if it has changed, and no failure if not', async () => {
  const [tag, signal] = ['W/"2"', new AbortController().signal];
  const answer = async (_: unknown, init?: RequestInit) => {
    const isKnown = new Headers(init?.headers).get('If-None-Match') === tag;
    const [body, status] = isKnown ? [null, 304] : ['[1]', 200];
    return new Response(body, { status, headers: { ETag: tag } });
  };
  const hub = spyOn(globalThis, 'fetch').mockImplementation(answer as typeof fetch);
  try {
    for (const before of [undefined, 'W/"1"']) {
      expect(await poll('/sites', before, signal)).toEqual({ body: [1], etag: tag });
    }
    expect(await poll('/sites', tag, signal)).toEqual({ body: undefined, etag: tag });
  } finally {
    hub.mockRestore();
  }
});
