import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { buildDocument } from '../../src/features/openapi/document.ts';
import { folderForFile, forFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import fc from '../harness/generated.ts';
import { createChecker, type Document, operationsOf } from '../harness/openapi.ts';
import { hubRoutes, type Route, registered } from '../harness/routes.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';
import { words } from '../harness/words.ts';

const folder = folderForFile();
// Ending our own session would make all later requests alike.
const routes = hubRoutes(folder).filter(({ path }) => !path.endsWith('/sign-out'));
const document = buildDocument(registered(folder), '0') as unknown as Document;
const operations = operationsOf(document);
const checker = createChecker(document);
const RUNS = some(4, 20);

const stack = await forFile(startStack({ SIGN_UP: 'open' }));

const owner = await signUp(stack);

const NAMES = words(`
  name email password currentPassword newPassword revokeOtherSessions setupCode domain config
  upstream enabled scope expiresAt replace status page pageSize __proto__ constructor
`);
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'ada@example.org',
    'http://fuzz.example',
    'respond 1',
    'reverse_proxy {upstream}',
    '127.0.0.1:1',
    'read',
    '2999-01-01T00:00:00Z',
    'import /etc/passwd',
    '}\n{',
    '{$A:}}',
    '\0',
    '9'.repeat(30),
    '-1',
    'true',
  ),
);
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(word, fc.jsonValue())),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const raw = fc.oneof(
  { weight: 5, arbitrary: body.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const query = fc.dictionary(fc.constantFrom(...NAMES), word, { maxKeys: 4 });
const id = fc.oneof(word, fc.constantFrom('1', '2', '0', '1e3', '%00', '..', '9'.repeat(20)));

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s answers any input with a documented status and without secrets',
  async (_, route) => {
    const secrets = [
      stack.token,
      stack.dataDir,
      '$argon2id$',
      'a long passphrase',
      readFileSync('/etc/passwd', 'utf8').split('\n')[0] ?? '',
      ...(route.path.includes('/auth/') ? [] : [owner.token]),
    ];
    await fc.assert(
      fc.asyncProperty(id, query, raw, fc.boolean(), async (key, filter, text, known) => {
        const url = urlOf(route, key, filter);
        const answer = await asked(route, url, {
          method: route.method,
          headers: known ? owner.headers : {},
          ...(route.method === 'GET' ? {} : { raw: text }),
        });
        expect(answer.status).not.toBe(500);
        expect(faultsOf(route, url, answer)).toEqual([]);
        if (answer.status >= 400) expect(answer.body.code).toMatch(/^[A-Z_]+$/);
        for (const secret of secrets) expect(answer.text).not.toContain(secret);
      }),
      { numRuns: RUNS },
    );
  },
);

test('the log contains no secret either', () => {
  const log = stack.lines.join('\n');
  for (const secret of [stack.token, owner.token, '$argon2id$', 'a long passphrase']) {
    expect(log).not.toContain(secret);
  }
});

/** How a response differs from the document; an id like `..` leads to another route. */
function faultsOf(route: Route, url: string, answer: Answered): string[] {
  const template = route.path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '');
  const parts = new URL(url).pathname.replace(/\/$/, '').split('/');
  const isThere =
    parts.length === template.split('/').length &&
    template.split('/').every((part, at) => part.startsWith('{') || part === parts[at]);
  const placed = operations.find(
    ({ method, path }) => path === template && method === route.method.toLowerCase(),
  );
  if (!isThere || !placed || answer.text === STREAM) return [];
  return checker.answer(placed, answer);
}

type Answered = { status: number; text: string; headers: Headers; body: { code?: string } };
const STREAM = '(a stream)';

/** An event stream never ends, so only its beginning is read. */
async function asked(
  route: Route,
  url: string,
  init: Parameters<typeof ask>[1],
): Promise<Answered> {
  if (!route.path.endsWith('/tail')) return ask<{ code?: string }>(url, init);
  const stopping = new AbortController();
  const response = await fetch(url, { headers: init?.headers ?? {}, signal: stopping.signal });
  if (response.ok) {
    stopping.abort();
    return { status: response.status, headers: response.headers, text: STREAM, body: {} };
  }
  const text = await response.text();
  const body = JSON.parse(text) as { code?: string };
  return { status: response.status, headers: response.headers, text, body };
}

function urlOf({ path }: Route, key: string, filter: Record<string, string>): string {
  const place = path.replace(':id', encodeURIComponent(key.toWellFormed()) || '0');
  const search = Object.entries(filter).map(
    ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return `${stack.hub.replace(/\/api$/, '')}${place}?${search.join('&')}`;
}
