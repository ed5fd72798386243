/** The hub's socket: who may use it, what they may do there, and that its secret opens no other door. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

const owner = await forFile(startOwner());
let secret: { Authorization: string };

beforeAll(async () => {
  const file = join(owner.stack.dataDir, 'hub.secret');
  secret = { Authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
});

/** Sends a request to the socket. */
async function local(
  method: string,
  path: string,
  { headers = secret, json }: { headers?: Record<string, string>; json?: object } = {},
) {
  const response = await fetch(`http://signalbox${path}`, {
    method,
    unix: join(owner.stack.dataDir, 'hub.sock'),
    headers,
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

const BODY = { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' };

/** Some of each kind; the matrix sends the secret to every route. */
const ROUTES = [
  ['GET', '/api/vhosts'],
  ['POST', '/api/vhosts'],
  ['POST', '/api/import'],
  ['DELETE', '/api/agents/local'],
  ['POST', '/api/ports/standard'],
] as const;

/** What a session is for. */
const PERSONAL = [
  ['GET', '/api/sessions'],
  ['DELETE', '/api/sessions/1'],
  ['POST', '/api/auth/change-password'],
  ['GET', '/api/tokens'],
  ['POST', '/api/tokens'],
  ['GET', '/api/users'],
  ['POST', '/api/users'],
  ['GET', '/api/channels'],
  ['GET', '/api/deliveries'],
  ['POST', '/api/auth/sign-up/email'],
  ['POST', '/api/auth/sign-in/email'],
  ['POST', '/api/auth/sign-out'],
  ['GET', '/api/auth/get-session'],
] as const;

describe('the secret', () => {
  test('is no credential over TCP, even as if it came from the socket', async () => {
    const spoofed = { ...secret, Host: 'signalbox', 'X-Forwarded-For': 'unix' };
    const answer = await ask(`${owner.stack.hub}/vhosts`, { headers: spoofed });
    expect([answer.status, answer.body]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
  });

  test.each([...ROUTES, ...PERSONAL, ['GET', '/'], ['GET', '/api/health'], ['GET', '/x']])(
    'is required for %s %s on the socket',
    async (method, path) => {
      const wrong = { Authorization: `Bearer ${'x'.repeat(43)}` };
      for (const headers of [{}, { Authorization: 'Bearer ' }, wrong, owner.headers]) {
        expect(await local(method, path, { headers })).toMatchObject({
          status: 401,
          body: { code: 'UNAUTHENTICATED', message: 'The secret in DATA_DIR is required.' },
        });
      }
    },
  );

  test('and the socket are closed to other users', () => {
    for (const name of ['hub.sock', 'hub.secret']) {
      expect(statSync(join(owner.stack.dataDir, name)).mode & 0o777).toBe(0o600);
    }
  });
});

describe('the command line', () => {
  test.each(PERSONAL)('is no person: %s %s', async (method, path) => {
    const json = method === 'GET' ? {} : { json: BODY };
    expect(await local(method, path, json)).toMatchObject({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: 'This requires a session, which the command line does not have.',
      },
    });
  });

  test('uses the API, and is recorded', async () => {
    const json = { domain: 'http://a.example', config: 'respond a' };
    const made = await local('POST', '/api/vhosts', { json });
    expect([made.status, made.body]).toMatchObject([201, { domain: 'http://a.example' }]);
    const [entry] = (await owner.call<object[]>('GET', '/changelog')).body;
    expect(entry).toMatchObject({ userId: 'local', userName: 'command line', via: null });
    expect((await local('GET', '/api/status')).status).toBe(200);
  });
});
