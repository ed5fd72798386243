import { describe, expect, test } from 'bun:test';
import { countsOf, headlineOf, outcomeOf, siteOf } from '../../../src/features/replay/words.ts';

const none = { status: 200, to: null, location: null };
const two = '10.0.0.5:80 10.0.0.6:80';
const to = (status: number, location: string) => ({ status, location });
const asks = (authenticate: string) => ({ status: 401, authenticate });

describe('of a group, what would be different', () => {
  test.each([
    [{ to: '10.0.0.5:80' }, { status: 403 }, 'get 403 instead of 200'],
    [{ status: 403 }, { to: '10.0.0.5:80' }, 'get 200 instead of 403'],
    [{}, { status: null }, 'get no answer instead of 200'],
    [{ status: null }, {}, 'get 200 instead of no answer'],
    [{ to: '10.0.0.5:80' }, { to: '10.0.0.6:80' }, 'go to 10.0.0.6:80 instead of 10.0.0.5:80'],
    [{ to: 'c:1' }, { to: `${two} x:1` }, 'go to 10.0.0.5:80, 10.0.0.6:80 or x:1 instead of c:1'],
    [{ to: two }, {}, 'are answered by Caddy instead of 10.0.0.5:80 or 10.0.0.6:80'],
    [{}, { to: 'a:1' }, 'go to a:1 instead of being answered by Caddy'],
    [
      {},
      to(302, 'https://b.example/'),
      'are redirected to https://b.example/ instead of getting 200',
    ],
    [
      to(308, 'https://b.example/'),
      { status: 404 },
      'get 404 instead of a redirect to https://b.example/',
    ],
    [to(302, '/a'), to(301, '/b'), 'are redirected to /b instead of /a'],
    [to(302, '/a'), to(301, '/a'), 'get 301 instead of 302'],
    [to(201, '/a'), { status: 201 }, 'get no Location instead of /a'],
    [{}, asks('Basic'), 'are asked for a password instead of getting 200'],
    [asks('Basic'), {}, 'get 200 instead of a password prompt'],
    [asks(''), asks('Basic'), 'are asked for a password instead of getting 401'],
    [{}, { status: 401 }, 'get 401 instead of 200'],
    [
      asks('Basic realm="a"'),
      asks('Basic realm="b"'),
      'get WWW-Authenticate Basic realm="b" instead of Basic realm="a"',
    ],
    [
      { to: 'a:1', path: '/x' },
      { to: 'a:1', path: '/y' },
      'reach the upstream as /y instead of /x',
    ],
    [
      { user: 'Remote-User: ann' },
      { user: '' },
      'reach the upstream without sign-in headers instead of Remote-User: ann',
    ],
    [
      {},
      { user: 'remote-user: ann\nremote-email: a@b.example' },
      'reach the upstream with remote-user: ann, remote-email: a@b.example instead of none',
    ],
    [{ status: 503 }, { status: 503, retryAfter: '5' }, 'get Retry-After 5 instead of none'],
    [{ length: 10 }, { length: 1234 }, 'get Content-Length 1234 instead of 10'],
    [
      { type: 'text/html' },
      { type: 'text/plain' },
      'get Content-Type text/plain instead of text/html',
    ],
    [{}, { noSite: true as const }, 'find no site any more'],
    [{ noSite: true as const }, {}, 'find a site instead of none'],
    [{ type: 'text/html' }, {}, 'get no Content-Type instead of text/html'],
    [{}, {}, 'get a different answer'],
  ])('%j → %j', (before, after, words) => {
    const group = { requests: 2, before: { ...none, ...before }, after: { ...none, ...after } };
    expect(outcomeOf(group)).toBe(words);
    expect(outcomeOf({ ...group, signedIn: true })).toBe(`${words} (only when signed in)`);
  });

  test.each([
    [{ status: 403 }, 'gets 403 instead of 200'],
    [to(302, '/a'), 'is redirected to /a instead of getting 200'],
    [{ to: 'a:1' }, 'goes to a:1 instead of being answered by Caddy'],
    [asks('Basic'), 'is asked for a password instead of getting 200'],
    [{ path: '/a' }, 'reaches the upstream as /a instead of none'],
  ])('one request: %j', (after, words) => {
    expect(outcomeOf({ requests: 1, before: none, after: { ...none, ...after } })).toBe(words);
  });
});

test('counts, in the singular and with thousands', () => {
  expect(countsOf({ requests: 3, count: 12, visitors: 1 })).toBe(
    '3 requests (12 times, 1 visitor)',
  );
  expect(countsOf({ requests: 1, count: 1, visitors: 1 })).toBe('1 request (once, 1 visitor)');
  expect(countsOf({ requests: 4321, count: 43_210, visitors: 1000 })).toBe(
    '4,321 requests (43,210 times, 1,000 visitors)',
  );
});

test.each([
  ['a.example', 'a.example'],
  ['*', 'any other host'],
  ['', 'no site'],
])('the site %p is called %p', (domain, words) => expect(siteOf(domain)).toBe(words));

test.each([
  [
    { same: 18_201, differ: 3 },
    7,
    '18,204 requests of the last 7 days: 18,201 answer the same, 3 would not',
  ],
  [{ same: 12, differ: 0 }, 1, '12 requests of the last day: all answer the same'],
  [{ same: 1, differ: 0 }, 7, '1 request of the last 7 days: it answers the same'],
  [{ same: 0, differ: 1 }, 7, '1 request of the last 7 days: it would not answer the same'],
  [{ same: 0, differ: 2 }, 7, '2 requests of the last 7 days: none would answer the same'],
  [{ same: 1, differ: 1 }, 7, '2 requests of the last 7 days: 1 answers the same, 1 would not'],
  [{ same: 0, differ: 0 }, 30, 'no requests of the last 30 days to compare'],
])('%j of %d days', (state, days, words) => expect(headlineOf(state, days)).toBe(words));
