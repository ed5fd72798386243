/** The program's own log: no secrets, and one id for each request. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/program/config.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import { createLog } from '../../src/shared/log.ts';
import { logContext } from '../../src/shared/observe/requests.ts';
import { runProgram } from '../harness/program.ts';
import { ask, machine, type Stack, signUp, startStack, temporaryFolder } from '../harness/stack.ts';

type Line = Record<string, unknown> & { event: string; level: string; part: string };

let stack: Stack;
const from = (mark: number): Line[] => stack.lines.slice(mark).map((line) => JSON.parse(line));
const requestsOf = (mark: number) => from(mark).filter(({ event }) => event === 'request');

describe('whatever it is asked', () => {
  const password = 'a passphrase nobody has';
  const secrets: string[] = [password];
  let own: Stack;

  beforeAll(async () => {
    own = await startStack({ LOG_LEVEL: 'debug', HUB_HOST: '0.0.0.0' });
    secrets.push(own.token, readFileSync(join(own.dataDir, 'setup-code'), 'utf8').trim());
  });
  afterAll(() => own.stop());

  test('the log contains no secret', async () => {
    const setupCode = secrets.at(-1);
    const hub = own.hub.replace('0.0.0.0', '127.0.0.1');
    const ada = { name: 'Ada', email: 'ada@example.org', password };
    const sign = (what: string, json: object) =>
      ask<{ token: string }>(`${hub}/auth/sign-${what}/email`, { json });
    secrets.push('guessed code', 'guessed password', 'value in a query', 'value in a path');
    await sign('up', { ...ada, setupCode: 'guessed code' });
    const { token } = (await sign('up', { ...ada, setupCode })).body;
    const signedIn = (await sign('in', ada)).body.token;
    await sign('in', { ...ada, password: 'guessed password' });
    const headers = { Authorization: `Bearer ${token}` };
    const made = await ask<{ token: string }>(`${hub}/tokens`, { json: { name: 't' }, headers });
    const text = made.body.token;
    expect(text).toStartWith('sbx_');
    secrets.push(token, signedIn, text);
    for (const presented of [text, `${text}x`, own.token, 'x'.repeat(43)]) {
      secrets.push(presented);
      const bearer = { Authorization: `Bearer ${presented}` };
      await ask(`${hub}/vhosts`, { headers: bearer });
      await ask(`${hub}/vhosts?token=${presented}&x=value%20in%20a%20query`, { headers: bearer });
      await ask(`${hub}/tokens/${presented}`, { method: 'DELETE', headers: bearer });
      await ask(`${hub}/nothing/value%20in%20a%20path/${presented}`, { headers: bearer });
      await ask(`${hub}/vhosts`, { headers: { Cookie: `signalbox_session=${presented}` } });
      await ask(`${own.agent}/proxy/status?token=${presented}`, { headers: bearer });
    }
    const config = 'respond "dns-api-key-123"';
    secrets.push('dns-api-key-123');
    await ask(`${hub}/vhosts`, { json: { domain: 'http://a.example', config }, headers });
    const bad = 'dns-api-key-123 in the wrong place';
    const refused = await ask(`${hub}/vhosts`, {
      json: { domain: 'http://b.example', config: bad },
      headers,
    });
    expect(refused.status).toBe(502);
    await ask(`${hub}/auth/change-password`, {
      json: { currentPassword: password, newPassword: 'another passphrase here' },
      headers,
    });
    secrets.push('another passphrase here', '$argon2');
    await ask(`${hub}/auth/sign-out`, { method: 'POST', headers });

    const said = own.lines.join('\n');
    expect(own.lines.length).toBeGreaterThan(40);
    for (const secret of secrets) expect(said).not.toContain(secret);
    for (const encoded of ['value%20in', 'guessed%20']) expect(said).not.toContain(encoded);
  });
});

describe('a request id', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack({ LOG_FORMAT: 'json', LOG_LEVEL: 'debug' });
    headers = (await signUp(stack)).headers;
  });
  afterAll(() => stack.stop());

  const create = (name: string, id: string) =>
    ask<{ id: number }>(`${stack.hub}/vhosts`, {
      json: { domain: `http://${name}.example`, config: 'respond 1' },
      headers: { ...headers, 'X-Request-Id': id },
    });

  test.each(['', 'a b', 'a,b', 'x'.repeat(65), 'caf\xe9', 'a=b', '"quoted"'])(
    '%j is replaced by a generated one',
    async (id) => {
      for (const url of [`${stack.hub}/health`, `${stack.hub}/nowhere`]) {
        const answer = await ask(url, { headers: { 'X-Request-Id': id } });
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
      }
    },
  );

  test('is in the answer, and on every line of its request at hub and agent', async () => {
    const mark = stack.lines.length;
    const made = await create('one', 'my.Request_id-1');
    expect(made.status).toBe(201);
    expect(made.headers.get('x-request-id')).toBe('my.Request_id-1');
    const mine = from(mark).filter(({ request_id }) => request_id === 'my.Request_id-1');
    const logged = mine.map(({ part, event, route, level }) => [part, event, route, level]);
    expect(logged).toContainEqual(['agent', 'request', '/proxy/reload', 'info']);
    expect(logged).toContainEqual(['hub', 'publish', undefined, 'info']);
    expect(logged).toContainEqual(['hub', 'request', '/api/vhosts', 'info']);
    expect(mine.at(-1)).toMatchObject({ method: 'POST', status: 201, user: expect.any(String) });
  });

  test('of each change in a batch is on the agent’s line', async () => {
    const mark = stack.lines.length;
    const ids = Array.from({ length: 8 }, (_, n) => `together-${n}`);
    await Promise.all(ids.map((id, n) => create(`t${n}`, id)));
    const reloads = requestsOf(mark).filter(({ route }) => route === '/proxy/reload');
    expect(reloads.length).toBeLessThan(ids.length);
    const seen = reloads.flatMap(({ request_id }) => String(request_id).split(','));
    expect(seen.toSorted()).toEqual(ids);
    const own = requestsOf(mark).filter(({ part }) => part === 'hub');
    expect(own.map(({ request_id }) => request_id).toSorted()).toEqual(ids);
  });

  test('may be a list at the agent, which replaces one that is malformed or too long', async () => {
    const call = async (id: string) => {
      const answer = await ask(`${stack.agent}/proxy/status`, {
        headers: { ...stack.agentHeaders, 'X-Request-Id': id },
      });
      return answer.headers.get('x-request-id');
    };
    expect(await call('a,b')).toBe('a,b');
    for (const id of ['a,,b', 'a, b', Array(25).fill('a').join()]) {
      expect(await call(id)).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  test('is on refusals, too', async () => {
    const mark = stack.lines.length;
    const refused = await ask(`${stack.hub}/vhosts`, { headers: { 'X-Request-Id': 'stranger' } });
    expect([refused.status, refused.headers.get('x-request-id')]).toEqual([401, 'stranger']);
    const line = requestsOf(mark).find(({ request_id }) => request_id === 'stranger');
    expect(line).toMatchObject({ status: 401 });
    expect(line).not.toHaveProperty('user');
  });

  test('reads, health checks and unknown paths are debug lines, without the path', async () => {
    const mark = stack.lines.length;
    await ask(`${stack.hub}/vhosts/1`, { headers });
    await ask(`${stack.hub}/health`);
    await ask(`${stack.hub}/%0aforged%0a/wp-login.php`, { json: {} });
    await ask(`${stack.hub}/vhosts`, { method: 'PROPFIND' });
    expect(requestsOf(mark).filter(({ part }) => part === 'hub')).toMatchObject([
      { level: 'debug', method: 'GET', route: '/api/vhosts/:id', status: 200 },
      { level: 'debug', method: 'GET', route: '/api/health', status: 200 },
      { level: 'debug', method: 'POST', route: 'other', status: 404 },
      { level: 'debug', method: 'other', route: '/api/vhosts', status: 404 },
    ]);
    expect(stack.lines.slice(mark).join('\n')).not.toContain('forged');
  });
});

test('the program logs to standard error, and prints where it listens to standard output', async () => {
  const folder = temporaryFolder();
  const env = {
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'debug',
    HUB_PORT: '0',
    AGENT_TOKEN: 'x'.repeat(40),
  };
  const program = runProgram(['hub'], { ...env, DATA_DIR: join(folder, 'data') }, folder);
  try {
    const hub = await program.address('hub');
    await ask(`${hub}/api/health`, { headers: { 'X-Request-Id': 'mine' } });
    program.child.kill('SIGTERM');
    const { code, out, err } = await program.exited();
    expect(code).toBe(0);
    expect(out).toStartWith('hub listening on http://127.0.0.1:');
    const lines: Line[] = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'request', request_id: 'mine', route: '/api/health' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ event: 'stopping', level: 'info' }));
    expect(err).not.toContain(env.AGENT_TOKEN);
  } finally {
    program.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an unexpected error is logged with its reason and id, and its stack at debug', async () => {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const log = createLog(
    (line) => lines.push(line),
    () => new Date(),
    { format: 'json', level: 'debug', context: logContext },
  );
  const AGENT_TOKEN = 'x'.repeat(40);
  const env = { AGENT_TOKEN, AGENT_URL: 'http://127.0.0.1:1', DATA_DIR: folder, HUB_PORT: '0' };
  const hub = await serveHub(readSettings('hub', env, machine).hub, AGENT_TOKEN, log);
  try {
    const { headers } = await signUp({ hub: `${hub.url}/api` });
    const { Database } = await import('bun:sqlite');
    const db = new Database(join(folder, 'signalbox.db'));
    db.run('ALTER TABLE api_tokens RENAME TO elsewhere');
    db.close();
    const failed = await ask(`${hub.url}/api/tokens`, {
      headers: { ...headers, 'X-Request-Id': 'broken' },
    });
    expect([failed.status, failed.headers.get('x-request-id')]).toEqual([500, 'broken']);
    const logged = lines.map((line) => JSON.parse(line)).filter((l) => l.request_id === 'broken');
    expect(logged).toMatchObject([
      { event: 'request failed', level: 'error', reason: expect.stringContaining('api_tokens') },
      { event: 'stack', level: 'debug' },
      { event: 'request', status: 500, route: '/api/tokens' },
    ]);
  } finally {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
