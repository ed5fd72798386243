import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { PROTOCOL, PROTOCOL_HEADER } from '../../src/shared/wire/protocol.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, freePort, startStack } from '../harness/stack.ts';

type Refusal = { code: string; message: string; detail?: string; line?: number };

const stack = await forFile(startStack());
const call = <T = Refusal>(path: string, json?: unknown, headers = stack.agentHeaders) =>
  ask<T>(`${stack.agent}${path}`, { headers, json });
const reload = (proxyfile: string, more: object = {}) =>
  call('/proxy/reload', { proxyfile, ...more });
const site = (host: string, body: string) => `http://${host}:${stack.httpPort} {\n${body}\n}\n`;
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

describe('a stranger', () => {
  test.each([
    ['GET', '/proxy/status'],
    ['POST', '/proxy/reload'],
    ['POST', '/proxy/validate'],
    ['POST', '/proxy/checks'],
    ['POST', '/proxy/trial'],
    ['GET', '/containers'],
    ['GET', '/logs'],
    ['GET', '/logs/stats'],
    ['GET', '/logs/sums'],
    ['GET', '/logs/tail'],
    ['POST', '/logs/merge'],
    ['GET', '/nothing/here'],
    ['HEAD', '/proxy/status'],
    ['HEAD', '/nothing/here'],
    ['OPTIONS', '/proxy/reload'],
    ['OPTIONS', '/nothing/here'],
    ['POST', '/health'],
    ['DELETE', '/health'],
    ['GET', '/health/'],
    ['PROPFIND', '/'],
  ])('gets only 401 from %s %s', async (method, path) => {
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

  test('may read its health', async () => {
    expect((await ask(`${stack.agent}/health`)).body).toEqual({ status: 'ok' });
  });
});

test('a hub that needs another protocol is refused, once it has shown its token', async () => {
  const said = { [PROTOCOL_HEADER]: String(PROTOCOL + 1) };
  for (const other of ['0', '-1', '1.5', '1e0', '', 'x', '999999999999999999999']) {
    const headers = { ...stack.agentHeaders, [PROTOCOL_HEADER]: other };
    const refused = await ask<Refusal>(`${stack.agent}/logs`, { headers });
    expect([other, refused.body.code]).toEqual([other, 'OTHER_PROTOCOL']);
  }
  for (let known = 1; known <= PROTOCOL; known++) {
    const headers = { ...stack.agentHeaders, [PROTOCOL_HEADER]: String(known) };
    expect((await ask(`${stack.agent}/logs`, { headers })).status).toBe(200);
  }
  const json = { proxyfile: site('next.example', 'respond next') };
  for (const path of ['/proxy/status', '/logs', '/proxy/reload', '/proxy/trial']) {
    const more = path.startsWith('/proxy/') && path !== '/proxy/status' ? { json } : {};
    const of = (headers: Record<string, string>) =>
      ask<Refusal>(`${stack.agent}${path}`, { headers, ...more });
    expect((await of(said)).body.code).toBe('UNAUTHENTICATED');
    const refused = await of({ ...stack.agentHeaders, ...said });
    expect([refused.status, refused.body.code]).toEqual([409, 'OTHER_PROTOCOL']);
  }
  expect((await call<object>('/proxy/status')).body).toMatchObject({ liveDigest: null });
});

test('the token of the settings works, and no other', async () => {
  // It needs no Caddy.
  const without = { PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${freePort()}` };
  const other = await startStack(without);
  const status = async (token: string) =>
    (await ask(`${other.agent}/proxy/status`, { headers: { Authorization: `Bearer ${token}` } }))
      .status;
  expect(await status(`${other.token}p`)).toBe(401);
  expect(await status(stack.token)).toBe(401);
  expect(await status('')).toBe(401);
  expect(await status(other.token)).toBe(200);
  await other.stop();
});

describe('deeply nested JSON', () => {
  test.each(['[', '{"a":'])('of %p is refused like any invalid JSON', async (opening) => {
    const raw = opening.repeat((16 * 1024 * 1024) / opening.length - 1);
    const headers = stack.agentHeaders;
    const agent = await ask<Refusal>(`${stack.agent}/proxy/reload`, { raw, headers });
    expect([agent.status, agent.body.code]).toEqual([400, 'INVALID_JSON']);
    const hub = await ask<Refusal>(`${stack.hub}/auth/sign-in/email`, {
      raw: raw.slice(0, 16 * 1024),
    });
    expect([hub.status, hub.body.code]).toEqual([400, 'INVALID_JSON']);
  });

  test.each([
    ['an array', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['a field', (depth: number) => `{"proxyfile":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`],
  ])('that is well-formed, in %s, is refused without a crash', async (_, nested) => {
    const agent = await ask<Refusal>(`${stack.agent}/proxy/reload`, {
      raw: nested(100_000),
      headers: stack.agentHeaders,
    });
    expect(agent.status).toBe(400);
    const raw = nested(2_000);
    expect((await ask(`${stack.hub}/auth/sign-in/email`, { raw })).status).toBe(400);
    expect((await ask(`${stack.hub}/health`)).status).toBe(200);
  });
});

describe('a request is refused', () => {
  test('if its body is missing fields, mistyped, unparsable or too large', async () => {
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

  test('has not happened: nothing is live', async () => {
    expect((await call<object>('/proxy/status')).body).toEqual({
      liveDigest: null,
      fileDigest: null,
      foreign: false,
      owner: null,
      drift: false,
      checked: true,
      proxy: {
        running: true,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        managed: expect.any(Boolean),
      },
      restartNeeded: false,
      warnings: expect.any(Array),
    });
  });

  test('says only to a hub how full the disks are', async () => {
    const hub = 'a'.repeat(32);
    expect((await call<object>(`/proxy/status?hub=${hub}`)).body).toMatchObject({
      disks: [{ holds: expect.any(Array), free: expect.any(Number) }],
    });
  });

  test('makes an accepted text live, stores it and answers with its digest', async () => {
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
  ])('changes nothing for a text that %s', async (_, body, words, line) => {
    const answer = await reload(site('bad.example', body));
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain(words);
    expect(answer.body.line).toBe(line);
    expect(answer.text).not.toContain(stack.folder);
    await expectGood();
  });

  test('refuses a missing certificate by its path as it was sent, and its line', async () => {
    const tls = `tls ${stack.folder}/cert.pem ${stack.folder}/key.pem\nrespond x`;
    const answer = await reload(`bad.example:${stack.httpsPort} {\n${tls}\n}`);
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(answer.body.detail).toContain(`${stack.folder}/cert.pem: no such file`);
    expect(answer.body.line).toBe(2);
    expect(answer.text).not.toContain('caddy/validate');
    await expectGood();
  });

  test('quotes nothing from an imported file with an error', async () => {
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
    ['an import after a brace', 'header { import /etc/passwd\n}'],
    ['a default with a brace', 'respond {$NONE:1 \n}\nevil.example {}'],
  ])('refuses %s', async (_, body) => {
    for (const path of ['/proxy/reload', '/proxy/validate', '/proxy/adapt']) {
      const answer = await call(path, { proxyfile: site('bad.example', body) });
      expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(answer.text).not.toMatch(/root:|\/etc/);
      await expectGood();
    }
  });

  test('checks the text of a probe too', async () => {
    const proxyfile = site('good.example', 'respond again');
    const probe = `${proxyfile}\n${site('off.example', 'import /etc/passwd')}`;
    const answer = await call('/proxy/reload', { proxyfile, probe });
    expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await expectGood();
  });

  test('refuses a stale text and accepts a current one', async () => {
    const next = site('good.example', 'respond next');
    const stale = await reload(next, { expects: sha256('something else') });
    expect([stale.status, stale.body.code]).toEqual([409, 'STALE']);
    await expectGood();
    expect((await reload(next, { expects: sha256(good()) })).status).toBe(200);
    expect((await reload(good(), { expects: sha256(next) })).status).toBe(200);
  });

  test('accepts a file server beside a variable, for which Caddy adapts it from its standard input', async () => {
    const answer = await reload(site('good.example', 'respond {$NONE:good}\nfile_server'));
    expect(answer.status).toBe(200);
    await reload(good());
    await expectGood();
  });

  test('of many at once finishes each, and the last accepted one is live and stored', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => site('good.example', `respond ${at}`));
    const answers = await Promise.all(texts.map((text) => reload(text)));
    expect(answers.map((answer) => answer.status)).toEqual(texts.map(() => 200));
    expect((await stack.served('good.example')).text).toBe('7');
    expect(stack.readProxyfile()).toBe(texts[7] ?? '');
    await reload(good());
  });

  test.each([
    ['is not a Caddyfile', 'respnd x'],
    ['cannot be provisioned', '@x path_regexp "("\nrespond @x x'],
    ['has a missing certificate', 'tls /nowhere/c.pem /nowhere/k.pem'],
    ['has an invalid upstream', 'reverse_proxy http://127.0.0.1/path'],
    ['has a missing matcher', 'respond @nobody x'],
    ['has an invalid expression', '@x expression `(`\nrespond @x x'],
  ])('refuses a text that %s, even with a harmless probe', async (_, body) => {
    const refused = await reload(good() + site('bad.example', body), { probe: good() });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await expectGood();
  });

  test('refuses what was not validated, even if another probe of the same text was', async () => {
    const proxyfile = good();
    const bad = site('bad.example', '@x path_regexp "("\nrespond @x x');
    expect((await call('/proxy/validate', { proxyfile, probe: bad })).status).toBe(502);
    expect((await call('/proxy/validate', { proxyfile, probe: proxyfile })).status).toBe(200);
    const refused = await reload(proxyfile, { probe: bad });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    await expectGood();
  });

  test('makes what was validated live, and nothing else', async () => {
    const next = site('good.example', 'respond next');
    for (const [validated, loaded] of [
      [next, good()],
      [next, next],
      [good(), good()],
    ] as const) {
      const answer = await call('/proxy/validate', { proxyfile: validated, probe: validated });
      expect(answer.status).toBe(200);
      expect((await reload(loaded, { probe: loaded })).status).toBe(200);
      const words = loaded === next ? 'next' : 'good';
      expect((await stack.served('good.example')).text).toBe(words);
      expect(stack.readProxyfile()).toBe(loaded);
    }
  });

  test('leaves nothing beside the Caddyfile', () => {
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
  test('checks a text without changing anything', async () => {
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
