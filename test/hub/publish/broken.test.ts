/** A stored vhost that the proxy no longer accepts. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { ask, signUp, startLocalCaStack, until } from '../../harness/stack.ts';

type Body = { id: number; code?: string; detail?: string };
type Status = { inStep: boolean; broken: { id: number; domain: string; detail: string }[] };

const stack = await forFile(startLocalCaStack());
let headers: Record<string, string>;
let certificate: string;
let broken: number;
let healthy: number;

const vhosts = (method: string, path: string, json?: object) =>
  ask<Body>(`${stack.hub}/vhosts${path}`, { method, headers, json });
const status = async () => (await ask<Status>(`${stack.hub}/status`, { headers })).body;

/** Stores a vhost, or stores it again as it was. */
async function store(method = 'POST', path = ''): Promise<void> {
  copyFileSync(`${certificate}.key`, certificate);
  const frail = await vhosts(method, path, {
    domain: `frail.example:${stack.httpsPort}`,
    enabled: true,
    config: `tls ${certificate}.crt ${certificate}\nrespond frail`,
  });
  expect([frail.status, frail.text]).toEqual([path ? 200 : 201, expect.any(String)]);
  broken = frail.body.id;
  // The file that it needs.
  rmSync(certificate);
}

beforeAll(async () => {
  headers = (await signUp(stack)).headers;
  // Any key pair will do: here that of the proxy's own CA, made for its first TLS site.
  const domain = `first.example:${stack.httpsPort}`;
  await vhosts('POST', '', { domain, config: 'respond first' });
  const authority = join(stack.dataDir, 'caddy/data/caddy/pki/authorities/local/root');
  certificate = join(stack.folder, 'pair.pem');
  await until(() => existsSync(`${authority}.key`), 'the CA');
  copyFileSync(`${authority}.crt`, `${certificate}.crt`);
  copyFileSync(`${authority}.key`, `${certificate}.key`);
  healthy = (await vhosts('POST', '', { domain: 'http://well.example', config: 'respond well' }))
    .body.id;
  await store();
});

describe('a stored vhost that the proxy no longer accepts', () => {
  test('is still served, and named in errors', async () => {
    const refused = await vhosts('PUT', `/${healthy}`, { config: 'respond better' });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('in frail.example');
    // As the site has it, and no other path of the host.
    expect(refused.body.detail).toContain(certificate);
    expect(refused.text).not.toContain(stack.dataDir);
    expect((await stack.served('well.example')).text).toBe('well');
    expect(stack.readProxyfile()).toContain('respond frail');
    const other = { op: 'update', id: healthy, config: 'respond better' };
    const preview = await ask<{ valid: boolean }>(`${stack.hub}/preview`, { headers, json: other });
    expect(preview.body.valid).toBe(false);
  });

  test('is not taken away by a change of the preamble that has nothing to do with it', async () => {
    const preamble = `${stack.hub}/preamble`;
    const now = await ask<{ config: string }>(preamble, { headers });
    const config = `${now.body.config}\n(unrelated) {\n\theader X y\n}`;
    const put = await ask<Body>(preamble, { headers, method: 'PUT', json: { config } });
    expect([put.status, put.body.detail]).toEqual([502, expect.stringContaining('frail.example')]);
    expect(stack.readProxyfile()).toContain('respond frail');
    expect((await ask<{ config: string }>(preamble, { headers })).body).toEqual(now.body);
  });

  test('a refused change is not excused by it', async () => {
    const refused = await vhosts('PUT', `/${healthy}`, { config: 'respond better\nnonsense' });
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('line 2: unrecognized directive'),
    ]);
    const missing = await vhosts('PUT', `/${healthy}`, {
      config: '@a path_regexp [\nrespond @a x',
    });
    expect([missing.status, missing.body.detail]).toEqual([502, expect.stringContaining('regexp')]);
    expect((await status()).broken).toEqual([]);
    expect((await stack.served('well.example')).text).toBe('well');
    const bulk = await vhosts('POST', '/bulk', {
      operations: [
        { op: 'update', id: healthy, config: 'respond bulk' },
        { op: 'update', id: broken, config: `tls ${certificate}.crt ${certificate}` },
      ],
    });
    expect(bulk.status).toBe(502);
    expect((await stack.served('well.example')).text).toBe('well');
  });

  test('can be changed, disabled or deleted, and then others can be changed again', async () => {
    const well = async (words: string) => {
      const put = await vhosts('PUT', `/${healthy}`, { config: `respond ${words}` });
      expect([put.status, put.text]).toEqual([200, expect.any(String)]);
      expect((await stack.served('well.example')).text).toBe(words);
      expect(await status()).toMatchObject({ inStep: true, broken: [] });
    };
    expect((await vhosts('PUT', `/${broken}`, { config: 'respond fixed' })).status).toBe(200);
    await well('better');
    await store('PUT', `/${broken}`);
    expect((await vhosts('PATCH', `/${broken}/toggle`)).status).toBe(200);
    await well('best');
    await store('PUT', `/${broken}`);
    expect((await vhosts('DELETE', `/${broken}`)).status).toBe(200);
    await well('well');
    await store();
  });

  test('is named, and keeps nothing from being changed or published again, once it is no longer served', async () => {
    await stack.askAgent('/proxy/reload', {
      proxyfile: `http://well.example:${stack.httpPort} {\nrespond pushed\n}\n`,
    });
    const named = await until(async () => {
      const now = await status();
      return now.broken.length === 1 && now.inStep && now;
    });
    expect((await stack.served('well.example')).text).toBe('well');
    expect(named).toMatchObject({
      inStep: true,
      broken: [{ id: broken, domain: `frail.example:${stack.httpsPort}` }],
    });
    expect(named.broken[0]?.detail).toContain('pair.pem');
    expect(JSON.stringify(named)).not.toContain(stack.dataDir);
    const { body } = await ask<{ problem: string | null }>(`${stack.hub}/vhosts/${broken}/state`, {
      headers,
    });
    expect(body.problem).toContain('pair.pem');
    const put = await vhosts('PUT', `/${healthy}`, { config: 'respond better' });
    expect([put.status, put.text]).toEqual([200, expect.any(String)]);
    expect((await stack.served('well.example')).text).toBe('better');
    // Its own changes are judged on their own, and a preview says the same.
    const json = { op: 'update', id: broken, config: `tls ${certificate}.crt ${certificate}` };
    const preview = await ask<{ valid: boolean }>(`${stack.hub}/preview`, { headers, json });
    expect(preview.body.valid).toBe(false);
    expect((await vhosts('PUT', `/${broken}`, { config: json.config })).status).toBe(502);
    const other = { op: 'update', id: healthy, config: 'respond best' };
    const harmless = await ask<{ valid: boolean }>(`${stack.hub}/preview`, {
      headers,
      json: other,
    });
    expect(harmless.body.valid).toBe(true);
  });

  test('comes back with its cause', async () => {
    copyFileSync(`${certificate}.key`, certificate);
    await until(async () => {
      const { broken: left, inStep } = await status();
      return left.length === 0 && inStep;
    }, 'the site to come back');
    expect(stack.readProxyfile()).toContain('frail.example');
    const words = stack.lines.filter((line) => line.includes('left out'));
    expect(words.length).toBe(2);
  });
});
