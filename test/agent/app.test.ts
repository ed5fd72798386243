import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ask, type Stack, startStack } from '../harness/stack.ts';

type Refusal = { code: string; message: string; detail?: string; line?: number };

let stack: Stack;
const call = <T = Refusal>(path: string, json?: unknown, headers = stack.agentHeaders) =>
  ask<T>(`${stack.agent}${path}`, { headers, ...(json === undefined ? {} : { json }) });
const reload = (proxyfile: string, more: object = {}) =>
  call('/proxy/reload', { proxyfile, ...more });
const site = (host: string, body: string) => `http://${host}:${stack.httpPort} {\n${body}\n}\n`;
const admin = () => stack.settings.agent.proxy.admin;
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

describe('a stranger', () => {
  test.each([
    ['GET', '/proxy/status'],
    ['POST', '/proxy/reload'],
    ['POST', '/proxy/validate'],
    ['GET', '/logs'],
    ['GET', '/logs/stats'],
    ['GET', '/logs/tail'],
    ['GET', '/nothing/here'],
    ['HEAD', '/proxy/status'],
    ['HEAD', '/nothing/here'],
    ['OPTIONS', '/proxy/reload'],
    ['OPTIONS', '/nothing/here'],
    ['POST', '/health'],
    ['DELETE', '/health'],
    ['GET', '/health/'],
    ['PROPFIND', '/'],
  ])('hears nothing but 401 from %s %s', async (method, path) => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${stack.token}`]) {
      const answer = await ask<Refusal>(`${stack.agent}${path}`, {
        method,
        ...(method === 'POST' ? { raw: '{' } : {}),
        headers: { Authorization: authorization },
      });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      for (const name of ['server', 'x-powered-by', 'allow']) {
        expect(answer.headers.get(name)).toBeNull();
      }
      if (method === 'HEAD') continue;
      expect(answer.body).toEqual({ code: 'UNAUTHENTICATED', message: expect.any(String) });
    }
  });

  test('may ask for its health', async () => {
    expect((await ask(`${stack.agent}/health`)).body).toEqual({ status: 'ok' });
  });
});

test('while the token is changed the old one works as well, and no other', async () => {
  const previous = 'p'.repeat(32);
  const other = await startStack({ AGENT_TOKEN_PREVIOUS: previous });
  const status = async (token: string) =>
    (await ask(`${other.agent}/proxy/status`, { headers: { Authorization: `Bearer ${token}` } }))
      .status;
  expect(await status(`${previous}p`)).toBe(401);
  expect(await status(stack.token)).toBe(401);
  expect(await status('')).toBe(401);
  expect(await status(previous)).toBe(200);
  expect(await status(other.token)).toBe(200);
  await other.stop();
});

describe('deeply nested JSON', () => {
  test.each(['[', '{"a":'])('of %p is refused like any other nonsense', async (opening) => {
    const raw = opening.repeat((16 * 1024 * 1024) / opening.length - 1);
    const headers = stack.agentHeaders;
    const agent = await ask<Refusal>(`${stack.agent}/proxy/reload`, { raw, headers });
    expect([agent.status, agent.body.code]).toEqual([400, 'INVALID_JSON']);
    const hub = await ask<Refusal>(`${stack.hub}/auth/sign-in/email`, {
      raw: raw.slice(0, 1024 * 1024),
    });
    expect([hub.status, hub.body.code]).toEqual([400, 'INVALID_JSON']);
  });

  test.each([
    ['an array', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a field', `{"proxyfile":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
  ])('that is well-formed, %s, is refused and no crash', async (_, raw) => {
    const agent = await ask<Refusal>(`${stack.agent}/proxy/reload`, {
      raw,
      headers: stack.agentHeaders,
    });
    expect(agent.status).toBe(400);
    expect((await ask(`${stack.hub}/auth/sign-in/email`, { raw })).status).toBe(400);
    expect((await ask(`${stack.hub}/health`)).status).toBe(200);
  });
});

describe('a request that cannot be taken', () => {
  test('missing, mistyped, unparsable and too large', async () => {
    for (const json of [{}, { proxyfile: 7 }, { proxyfile: null }, [], 'text']) {
      const answer = await call('/proxy/reload', json);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    }
    const bad = await ask<Refusal>(`${stack.agent}/proxy/reload`, {
      raw: '{',
      headers: stack.agentHeaders,
    });
    expect([bad.status, bad.body.code]).toEqual([400, 'INVALID_JSON']);
    const large = await reload('#'.repeat(16 * 1024 * 1024 + 1));
    expect([large.status, large.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    const query = await call('/logs?pageSize=501');
    expect([query.status, query.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect((await call('/nothing')).body.code).toBe('NOT_FOUND');
  });
});

describe('reload', () => {
  const good = () => site('good.example', 'respond good');

  test('before the first one nothing is live', async () => {
    expect((await call<object>('/proxy/status')).body).toEqual({
      liveDigest: null,
      fileDigest: null,
      foreign: false,
      drift: false,
      proxy: { running: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      restartNeeded: false,
    });
  });

  test('what is accepted is live, on disk and told by its digest', async () => {
    const answer = await call<object>('/proxy/reload', { proxyfile: good() });
    expect(answer.body).toEqual({ success: true, digest: sha256(good()) });
    expect((await stack.served('good.example')).text).toBe('good');
    expect(stack.readProxyfile()).toBe(good());
    expect((await call<object>('/proxy/status')).body).toMatchObject({
      liveDigest: sha256(good()),
      fileDigest: sha256(good()),
      foreign: false,
    });
  });

  test.each([
    ['cannot be parsed', 'respnd x', 'line 2: unrecognized directive: respnd', 2],
    [
      'cannot be provisioned',
      '@x path_regexp "("\nrespond @x x',
      'error parsing regexp',
      undefined,
    ],
  ])('a text that %s changes nothing', async (_, body, words, line) => {
    const answer = await reload(site('bad.example', body));
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain(words);
    expect(answer.body.line).toBe(line);
    expect(answer.text).not.toContain(stack.folder);
    await expectGood();
  });

  test('a certificate that is not there is refused without telling where we looked', async () => {
    const tls = `tls ${stack.folder}/cert.pem ${stack.folder}/key.pem\nrespond x`;
    const answer = await reload(`bad.example:${stack.httpsPort} {\n${tls}\n}`);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain('no such file');
    expect(answer.text).not.toContain(stack.folder);
    await expectGood();
  });

  test('an error in an imported file quotes nothing from it', async () => {
    const answer = await reload(site('bad.example', 'import /etc/passwd'));
    expect(answer.body.code).toBe('PROXY_REJECTED');
    expect(answer.text).not.toContain('root');
    expect(answer.text).not.toContain('/etc');
    expect(answer.body.line).toBe(2);
    await expectGood();
  });

  test.each([
    ['an import that a default makes', '{$NONE:import} /etc/passwd'],
    ['an import in a block of a directive', 'header {\nimport /etc/passwd\n}'],
    ['an import behind a brace', 'header { import /etc/passwd\n}'],
    ['a default with a brace', 'respond {$NONE:1 \n}\nevil.example {}'],
    ['an upstream that is the admin socket', () => `reverse_proxy ${admin()}`],
    [
      'one written otherwise',
      () => `reverse_proxy ${admin().replace('/caddy/', '/./logs/../caddy//')}`,
    ],
    ['one that a request decides', 'reverse_proxy {header.to}'],
    [
      'one that a request decides in part',
      () => `reverse_proxy ${admin().replace('admin', '{header.to}')}`,
    ],
  ])('%s is refused', async (_, body) => {
    const text = typeof body === 'string' ? body : body();
    const reads = text.includes('/etc/passwd') || text.includes('{$');
    for (const path of ['/proxy/reload', '/proxy/validate', ...(reads ? ['/proxy/adapt'] : [])]) {
      const answer = await call(path, { proxyfile: site('bad.example', text) });
      expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(answer.text).not.toMatch(/root:|\/etc/);
      await expectGood();
    }
  });

  test('a storage of its own is refused', async () => {
    const answer = await reload(
      `{\n\tstorage file_system /tmp/elsewhere\n}\n${site('a.example', '')}`,
    );
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain('storage');
    await expectGood();
  });

  test('what is only tried out is judged as well', async () => {
    const proxyfile = site('good.example', 'respond again');
    const probe = `${proxyfile}\n${site('off.example', `reverse_proxy ${admin()}`)}`;
    const answer = await call('/proxy/reload', { proxyfile, probe });
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await expectGood();
  });

  test('a stale one is refused and a fitting one taken', async () => {
    const next = site('good.example', 'respond next');
    const stale = await reload(next, { expects: sha256('something else') });
    expect([stale.status, stale.body.code]).toEqual([409, 'STALE']);
    await expectGood();
    expect((await reload(next, { expects: sha256(good()) })).status).toBe(200);
    expect((await reload(good(), { expects: sha256(next) })).status).toBe(200);
  });

  test('many at once all end, and the last accepted one is live and on disk', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => site('good.example', `respond ${at}`));
    const answers = await Promise.all(texts.map((text) => reload(text)));
    expect(answers.map((answer) => answer.status)).toEqual(texts.map(() => 200));
    expect((await stack.served('good.example')).text).toBe('7');
    expect(stack.readProxyfile()).toBe(texts[7] ?? '');
    await reload(good());
  });

  test.each([
    ['switches it off', 'admin off'],
    ['moves it', 'admin localhost:1'],
    ['moves it to where it cannot be', 'admin 203.0.113.1:1'],
    ['closes it to us', 'admin localhost:1 {\norigins nowhere.example\nenforce_origin\n}'],
  ])('a config that %s cannot take the admin endpoint away', async (_, option) => {
    const accepted = `{\n${option}\n}\n${good()}`;
    expect((await reload(accepted)).status).toBe(200);
    const refused = await reload(
      `{\n${option}\n}\n${site('bad.example', '@x path_regexp "("\nrespond @x x')}`,
    );
    expect(refused.status).toBe(502);
    expect((await reload(good())).status).toBe(200);
    await expectGood();
  });

  test.each([
    ['is no Caddyfile', 'respnd x'],
    ['cannot be provisioned', '@x path_regexp "("\nrespond @x x'],
    ['has a certificate that is not there', 'tls /nowhere/c.pem /nowhere/k.pem'],
    ['has an upstream that cannot be', 'reverse_proxy http://127.0.0.1/path'],
    ['has a matcher that is not there', 'respond @nobody x'],
    ['has an expression that is none', '@x expression `(`\nrespond @x x'],
  ])('a text that %s is refused whatever its probe looks like', async (_, body) => {
    const refused = await reload(good() + site('bad.example', body), { probe: good() });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await expectGood();
  });

  test('nothing is left beside the proxyfile', () => {
    const names = readdirSync(dirname(stack.proxyfile)).filter((name) => name.startsWith('Caddy'));
    expect(names.toSorted()).toEqual(['Caddyfile', 'Caddyfile.signalbox']);
    expect(existsSync(`${stack.proxyfile}.candidate`)).toBe(false);
  });

  async function expectGood(): Promise<void> {
    expect((await stack.served('good.example')).text).toBe('good');
    expect(stack.readProxyfile()).toBe(good());
    expect((await call<{ liveDigest: string }>('/proxy/status')).body.liveDigest).toBe(
      sha256(good()),
    );
  }
});

describe('validate', () => {
  test('judges without changing anything', async () => {
    const before = stack.readProxyfile();
    expect((await call('/proxy/validate', { proxyfile: ':1 {\nrespnd\n}' })).body).toMatchObject({
      code: 'PROXY_REJECTED',
      line: 2,
    });
    const fine = await call<object>('/proxy/validate', { proxyfile: ':1 {\nrespond x\n}' });
    expect(fine.body).toEqual({ success: true });
    expect(stack.readProxyfile()).toBe(before);
  });
});
