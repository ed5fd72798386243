import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TOTP, URI } from 'otpauth';
import { PAGES } from '../../src/shared/pages.ts';
import { folderForFile, forFile } from '../harness/for-file.ts';
import { agentRoutes, hubRoutes, type Route } from '../harness/routes.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';
import { words } from '../harness/words.ts';

/** The routes open to strangers; all others require authentication. */
const PUBLIC = new Set([
  'GET /api/health',
  'POST /api/auth/sign-up/email',
  'POST /api/auth/sign-in/email',
  'POST /api/auth/sign-in/social',
  'GET /api/auth/callback/oidc',
  'POST /api/auth/sign-out',
  'POST /api/auth/two-factor/verify-totp',
  'POST /api/auth/two-factor/verify-backup-code',
  'GET /api/auth/get-session',
  'GET /api/auth/passkey/generate-authenticate-options',
  'POST /api/auth/passkey/verify-authentication',
  // The dashboard's files contain no data.
  'GET /:file',
  'GET /*',
  'GET /docs',
  'GET /docs/:page',
  'GET /api/apply.schema.json',
  ...PAGES.map(([path]) => `GET ${path}`),
]);
/** Routes that no token may use. */
const SESSION_ONLY = [
  /^\w+ \/api\/(sessions|users|invitations|tokens|channels|deliveries|auth\/(change-password|prove|admin|two-factor|passkey|link-social|list-accounts|unlink-account))(\/|$)/,
  /^(POST|DELETE) \/api\/agents(\/|$)/,
  /^POST \/api\/proxy\/restart$/,
  /^\w+ \/api\/backups(\/|$)/,
  // A deploy hook replaces one with PUT.
  /^(POST|DELETE) \/api\/certificates\/kept(\/|$)/,
];

const folder = folderForFile();
const routes = hubRoutes(folder);
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** Open to anyone on this machine: see features/metrics/metrics.test.ts. */
const isForMetrics = ({ path }: Route) => path === '/metrics';
const guarded = routes.filter((route) => !PUBLIC.has(nameOf(route)) && !isForMetrics(route));
const isRead = ({ method }: Route) => method === 'GET';

const stack = await forFile(startStack());
let password: string;
const credentials: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  password = 'a long passphrase';
  const owner = await signUp(stack);
  const signIn = async (email = 'ada@example.org') =>
    (await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json: { email, password } }))
      .body.token;
  const cookie = (token: string) => ({ Cookie: `signalbox_session=${token}` });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const makeToken = async (scope: string) =>
    (
      await ask<{ token: string; id: string }>(`${stack.hub}/tokens`, {
        json: { name: scope, scope },
        headers: owner.headers,
      })
    ).body;

  credentials.none = {};
  credentials.badCookie = cookie('A'.repeat(43));
  credentials.badBearer = bearer('A'.repeat(43));
  const inherited = JSON.stringify({ signalbox_session: owner.token });
  credentials.inheritedCookie = {
    Cookie: `__proto__=${inherited}; constructor=${owner.token}; signalbox_session.__proto__=${owner.token}`,
  };
  credentials.agentToken = bearer(stack.token);
  credentials.socketSecret = bearer(readFileSync(join(stack.dataDir, 'hub.secret'), 'utf8').trim());

  const [expired, out] = [await signIn(), await signIn()];
  const db = new Database(join(stack.dataDir, 'signalbox.db'));
  const hash = (token: string) => new Bun.CryptoHasher('sha256').update(token).digest('hex');
  db.run('UPDATE sessions SET expires_at = 1 WHERE token_hash = ?', [hash(expired)]);
  credentials.expired = cookie(expired);
  await ask(`${stack.hub}/auth/sign-out`, { method: 'POST', headers: bearer(out) });
  credentials.signedOut = cookie(out);

  const [old, gone] = [await makeToken('write'), await makeToken('write')];
  db.run('UPDATE api_tokens SET expires_at = 1 WHERE id = ?', [old.id]);
  db.close();
  credentials.expiredToken = bearer(old.token);
  await ask(`${stack.hub}/tokens/${gone.id}`, { method: 'DELETE', headers: owner.headers });
  credentials.deletedToken = bearer(gone.token);

  credentials.readToken = bearer((await makeToken('read')).token);
  credentials.writeToken = bearer((await makeToken('write')).token);
  credentials.tokenAsCookie = cookie((await makeToken('write')).token);
  await ask(`${stack.hub}/users`, {
    json: { name: 'Bob', email: 'bob@example.org', password, role: 'owner' },
    headers: owner.headers,
  });
  credentials.otherUser = cookie(await signIn('bob@example.org'));
  await makeHalves(stack.hub, owner.headers);
  const wrong = { Origin: 'https://evil.example' };
  credentials.wrongOrigin = { ...cookie(owner.token), ...wrong };
  credentials.strangerElsewhere = { ...cookie('A'.repeat(43)), ...wrong };
});
/** Adds credentials of an account whose password was right, and whose second factor is missing. */
async function makeHalves(hub: string, headers: Record<string, string>) {
  const eve = { name: 'Eve', email: 'eve@example.org', password, role: 'owner' };
  await ask(`${hub}/users`, { json: eve, headers });
  const signIn = () => ask<{ token: string }>(`${hub}/auth/sign-in/email`, { json: eve });
  const session = { Authorization: `Bearer ${(await signIn()).body.token}` };
  const { body } = await ask<{ totpURI: string }>(`${hub}/auth/two-factor/enable`, {
    json: { password },
    headers: session,
  });
  const code = (URI.parse(body.totpURI) as TOTP).generate();
  const verified = { json: { code }, headers: session };
  expect((await ask(`${hub}/auth/two-factor/verify-totp`, verified)).status).toBe(200);
  const half = (await signIn()).headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const challenge = half.split('=')[1] ?? '';
  expect(challenge.length).toBe(43);
  credentials.half = { Cookie: half };
  credentials.halfAsSession = { Cookie: `${half}; signalbox_session=${challenge}` };
  credentials.halfAsBearer = { Authorization: `Bearer ${challenge}`, Cookie: half };
}

/** No route accepts these: an error about one means that the guard let the request through. */
const BAD = { id: 'x', query: '?page=x&buckets=x&status=x&from=now&format=x&open=x&after=x' };

const WRONG = words(`
  none badCookie badBearer inheritedCookie agentToken socketSecret expired signedOut expiredToken deletedToken
  tokenAsCookie half halfAsSession halfAsBearer
`);

/** A body that never parses, for the same reason. */
async function call({ method, path }: Route, credential: string, { id = '999', query = '' } = {}) {
  const url = stack.hub.replace(/\/api$/, '') + path.replaceAll(':id', id) + query;
  const response = await fetch(url, {
    method,
    headers: credentials[credential] ?? {},
    ...(method === 'GET' ? {} : { body: '{' }),
  });
  const isStream = response.headers.get('content-type')?.includes('event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return { status: response.status, code };
}

test('the app lists all its routes', () => {
  const names = routes.map(nameOf);
  for (const name of PUBLIC) expect(names).toContain(name);
  expect(guarded.length).toBeGreaterThan(15);
});

describe.each(guarded.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const unsafe = !isRead(route);

  test('is closed to every wrong credential', async () => {
    const refused = { status: 401, code: 'UNAUTHENTICATED' };
    for (const credential of WRONG) {
      const answer = await call(route, credential, BAD);
      expect([credential, answer]).toEqual([credential, refused]);
    }
    expect(await call(route, 'none')).toEqual(refused);
  });

  test('is closed to another page', async () => {
    const refused = { status: 403, code: 'FORBIDDEN_ORIGIN' };
    if (unsafe) {
      expect(await call(route, 'wrongOrigin')).toEqual(refused);
      expect(await call(route, 'strangerElsewhere')).toEqual(refused);
    } else {
      expect([200, 400, 404]).toContain((await call(route, 'wrongOrigin')).status);
    }
  });

  test('is open to tokens with the right scope', async () => {
    for (const token of ['readToken', 'writeToken']) {
      const answer = await call(route, token);
      const isClosed = SESSION_ONLY.some((one) => one.test(nameOf(route)));
      const closed = isClosed || (token === 'readToken' && unsafe);
      if (closed) expect(answer).toEqual({ status: 403, code: 'FORBIDDEN' });
      else expect([200, 400, 404]).toContain(answer.status);
    }
  });

  test('is open to every account', async () => {
    expect([200, 400, 404]).toContain((await call(route, 'otherUser')).status);
  });
});

describe.each(
  routes
    .filter((route) => PUBLIC.has(nameOf(route)))
    .map((route) => [nameOf(route), route] as const),
)('%s', (name, route) => {
  test('requires no session, and refuses foreign pages', async () => {
    for (const credential of Object.keys(credentials)) {
      const { status, code } = await call(route, credential);
      const foreign = credential === 'wrongOrigin' || credential === 'strangerElsewhere';
      if (foreign && !isRead(route)) expect([status, code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
      else if (name.includes('sign-up')) expect([400, 403]).toContain(status);
      else expect(/:file|:page|\*/.test(name) ? [404] : [200, 400]).toContain(status);
    }
  });
});

test.each(
  agentRoutes()
    .filter((route) => !isForMetrics(route))
    .map((route) => [nameOf(route), route] as const),
)('the agent’s %s is closed to all but its own token', async (name, { method, path }) => {
  for (const headers of Object.values(credentials)) {
    if (headers.Authorization === `Bearer ${stack.token}`) continue;
    const answer = await ask<{ code: string }>(`${stack.agent}${path}`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { raw: '{' }),
    });
    expect(answer.status).toBe(name === 'GET /health' ? 200 : 401);
  }
});
