/** Neither a live stream nor a slow upload outlives the session or account that it began with. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { inDatabase } from '../harness/database.ts';
import { readEvents } from '../harness/events.ts';
import { forFile } from '../harness/for-file.ts';
import { sendRaw } from '../harness/raw.ts';
import { ask, signUp, startStack, until } from '../harness/stack.ts';

const PASSWORD = 'a long passphrase';
const PER_ACCOUNT = 20;

type Headers = Record<string, string>;
type Account = { id: string; headers: Headers };

const stack = await forFile(startStack());
let owner: Headers;
let eves = 0;

beforeAll(async () => {
  owner = (await signUp(stack)).headers;
  const json = { domain: 'http://one.example', config: 'respond one' };
  await ask(`${stack.hub}/vhosts`, { json, headers: owner });
  await stack.served('one.example', '/before');
});

/** Another account, signed in. */
async function newAccount(): Promise<Account> {
  const email = `eve${++eves}@example.org`;
  const account = { name: 'Eve', email, password: PASSWORD, role: 'owner' };
  await ask(`${stack.hub}/users`, { json: account, headers: owner });
  const { body } = await ask<{ token: string; user: { id: string } }>(
    `${stack.hub}/auth/sign-in/email`,
    { json: { email, password: PASSWORD } },
  );
  return { id: body.user.id, headers: { Authorization: `Bearer ${body.token}` } };
}

const deleteAccount = ({ id }: Account) =>
  ask(`${stack.hub}/users/${id}`, { method: 'DELETE', headers: owner });

const openTail = (headers: Headers, at = stack.hub) => fetch(`${at}/logs/tail`, { headers });

/** Files of the access log that are open, by hub and agent, which are this process. */
const openLogs = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === stack.accessLog;
    } catch {
      return false;
    }
  }).length;

describe('a stream ends, and shows nothing more, after', () => {
  const expire = (table: string, id: string) =>
    inDatabase(stack.dataDir, (db) =>
      db.run(`UPDATE ${table} SET expires_at = 1 WHERE user_id = ?`, [id]),
    );
  const newToken = async ({ headers }: Account, more: object = {}) =>
    (
      await ask<{ id: string; token: string }>(`${stack.hub}/tokens`, {
        json: { name: 'script', ...more },
        headers,
      })
    ).body;

  test.each<[string, (eve: Account) => Promise<unknown>]>([
    [
      'its session signed out',
      ({ headers }) => ask(`${stack.hub}/auth/sign-out`, { method: 'POST', headers }),
    ],
    ['its account was deleted', deleteAccount],
    ['its session expired', async ({ id }) => expire('sessions', id)],
  ])('%s', async (_, end) => {
    const eve = await newAccount();
    const events = readEvents((await openTail(eve.headers)).body);
    await events.begun();
    await stack.served('one.example', '/shown');
    expect((await events.of('entry'))?.data).toContain('/shown');
    const next = events.of('entry');
    await end(eve);
    await stack.served('one.example', '/secret');
    expect(await next).toBeUndefined();
  });

  test.each<[string, (token: string, eve: Account) => Promise<unknown>]>([
    [
      'its API token was deleted',
      (id, { headers }) => ask(`${stack.hub}/tokens/${id}`, { method: 'DELETE', headers }),
    ],
    ['its API token expired', async (_, { id }) => expire('api_tokens', id)],
    ['the account of its API token was deleted', (_, eve) => deleteAccount(eve)],
  ])('%s', async (_, end) => {
    const eve = await newAccount();
    const { id, token } = await newToken(eve);
    const events = readEvents((await openTail({ Authorization: `Bearer ${token}` })).body);
    await events.begun();
    const next = events.of('entry');
    await end(id, eve);
    await stack.served('one.example', '/secret');
    expect(await next).toBeUndefined();
  });

  test('its session signed out, even if nothing is logged', async () => {
    const { headers } = await newAccount();
    const events = readEvents((await openTail(headers)).body);
    await events.begun();
    await ask(`${stack.hub}/auth/sign-out`, { method: 'POST', headers });
    expect(await events.of('entry')).toBeUndefined();
  });
});

describe('the streams of an account', () => {
  test('are at most 20, whoever else follows the log', async () => {
    const [eve, other] = [await newAccount(), await newAccount()];
    const open = await Promise.all(
      Array.from({ length: PER_ACCOUNT }, () => openTail(eve.headers)),
    );
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const refused = await ask<{ code: string }>(`${stack.hub}/logs/tail`, { headers: eve.headers });
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const another = await openTail(other.headers);
    expect(another.status).toBe(200);
    await Promise.all([...open, another].map(({ body }) => body?.cancel()));
    await until(async () => {
      const again = await openTail(eve.headers);
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  test('do not count a refused stream, nor one that a HEAD does not read', async () => {
    const { headers } = await newAccount();
    const { pathname } = new URL(`${stack.hub}/logs/tail`);
    for (let i = 0; i < PER_ACCOUNT + 5; i++) {
      const query = await ask(`${stack.hub}/logs/tail?status=x`, { headers });
      expect(query.status).toBe(400);
      const head = `HEAD ${pathname} HTTP/1.1\r\nHost: h\r\nAuthorization: ${headers.Authorization}\r\n\r\n`;
      await sendRaw(stack.hub, head);
    }
    await until(async () => {
      const again = await openTail(headers);
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  test('all get each entry, and none of them leaves the log open', async () => {
    await until(() => openLogs() === 0);
    const streams = await Promise.all(
      Array.from({ length: PER_ACCOUNT }, async () => readEvents((await openTail(owner)).body)),
    );
    await Promise.all(streams.map((events) => events.begun()));
    for (const path of ['/first', '/second']) {
      await stack.served('one.example', path);
      for (const events of streams) expect((await events.of('entry'))?.data).toContain(path);
    }
    expect(openLogs()).toBeLessThanOrEqual(PER_ACCOUNT);
    await Promise.all(streams.map((events) => events.close()));
    await until(() => openLogs() === 0);
  });
});

describe('a body that arrives after its account was deleted', () => {
  const user = { name: 'Back', email: 'back@example.org', password: PASSWORD };
  const vhost = { domain: 'http://evil.example', config: 'respond evil' };

  /** Sends all but the last byte of a body, calls `between`, and then sends the rest. */
  async function slowly(
    method: string,
    path: string,
    json: object,
    headers: Headers,
    between: () => Promise<unknown>,
  ): Promise<string> {
    const body = JSON.stringify(json);
    const { hostname, port, host } = new URL(stack.hub);
    const all = { Host: host, 'Content-Length': String(body.length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname);
    socket.write(`${method} /api${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, -1)}`);
    // Another request on a connection opened later: the hub has seen the first one by then.
    await ask(`${stack.hub}/health`);
    await between();
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.once('data', (chunk) => resolve(String(chunk)));
    socket.write(body.slice(-1));
    const answer = await promise;
    socket.destroy();
    return answer;
  }

  test.each<[string, string, object]>([
    ['POST', '/vhosts', vhost],
    ['PUT', '/vhosts/1', { config: 'respond evil' }],
    ['POST', '/vhosts/bulk', { operations: [{ op: 'create', ...vhost }] }],
    ['PUT', '/preamble', { config: '# evil' }],
    ['POST', '/import', { proxyfile: 'http://evil.example {\n\trespond evil\n}' }],
    ['POST', '/users', user],
    ['POST', '/tokens', { name: 'back', scope: 'write' }],
    ['POST', '/auth/sign-up/email', user],
  ])('changes nothing by %s %s', async (method, path, json) => {
    const state = () =>
      Promise.all(
        ['/vhosts', '/preamble', '/changelog', '/users'].map(
          async (of) => (await ask(`${stack.hub}${of}`, { headers: owner })).text,
        ),
      );
    const eve = await newAccount();
    let before: string[] = [];
    const answer = await slowly(method, path, json, eve.headers, async () => {
      await deleteAccount(eve);
      before = await state();
    });
    expect(answer).toMatch(/^HTTP\/1\.1 40[13] /);
    expect(answer).toMatch(/UNAUTHENTICATED|SIGN_UP_CLOSED/);
    expect(await state()).toEqual(before);
    expect(stack.readProxyfile()).not.toContain('evil');
  });
});
