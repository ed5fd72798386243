/** A stored vhost that the proxy no longer accepts. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask, type Stack, signUp, startLocalCaStack, until } from '../../harness/stack.ts';

type Body = { id: number; code?: string; detail?: string };
type Status = { inStep: boolean; broken: { id: number; domain: string; detail: string }[] };

let stack: Stack;
let headers: Record<string, string>;
let certificate: string;
let broken: number;
let healthy: number;

const vhosts = (method: string, path: string, json?: object) =>
  ask<Body>(`${stack.hub}/vhosts${path}`, { method, headers, json });
const status = async () => (await ask<Status>(`${stack.hub}/status`, { headers })).body;

/** Stores a vhost, and then removes the certificate file that it needs. */
beforeEach(async () => {
  stack = await startLocalCaStack();
  headers = (await signUp(stack)).headers;
  // Any key pair will do: here that of the proxy's own CA, made for its first TLS site.
  const domain = `frail.example:${stack.httpsPort}`;
  await vhosts('POST', '', { domain, config: 'respond frail' });
  const authority = join(stack.dataDir, 'caddy/data/caddy/pki/authorities/local/root');
  certificate = join(stack.folder, 'pair.pem');
  await until(() => existsSync(`${authority}.key`), 'the CA');
  copyFileSync(`${authority}.crt`, `${certificate}.crt`);
  copyFileSync(`${authority}.key`, certificate);
  const frail = await vhosts('PUT', '/1', {
    config: `tls ${certificate}.crt ${certificate}\nrespond frail`,
  });
  expect([frail.status, frail.text]).toEqual([200, expect.any(String)]);
  broken = frail.body.id;
  healthy = (await vhosts('POST', '', { domain: 'http://well.example', config: 'respond well' }))
    .body.id;
  rmSync(certificate);
});
afterEach(() => stack.stop());

describe('a stored vhost that the proxy no longer accepts', () => {
  test('is still served, and named in errors and in the status', async () => {
    const refused = await vhosts('PUT', `/${healthy}`, { config: 'respond better' });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('in frail.example');
    expect(refused.text).not.toContain(stack.folder);
    expect((await stack.served('well.example')).text).toBe('well');

    // Something else goes live, and the hub cannot restore the stored set.
    await ask(`${stack.agent}/proxy/reload`, {
      json: { proxyfile: `http://well.example:${stack.httpPort} {\nrespond pushed\n}\n` },
      headers: stack.agentHeaders,
    });
    const named = await until(async () => {
      const now = await status();
      return now.broken.length > 0 && now;
    });
    expect(named).toMatchObject({
      inStep: false,
      broken: [{ id: broken, domain: `frail.example:${stack.httpsPort}` }],
    });
    expect(JSON.stringify(named)).not.toContain(stack.folder);
  }, 15_000);

  test.each<[string, () => ReturnType<typeof vhosts>]>([
    ['changed', () => vhosts('PUT', `/${broken}`, { config: 'respond fixed' })],
    ['disabled', () => vhosts('PATCH', `/${broken}/toggle`)],
    ['deleted', () => vhosts('DELETE', `/${broken}`)],
  ])('can be %s, and then others can be changed again', async (_, fix) => {
    const fixed = await fix();
    expect([fixed.status, fixed.text]).toEqual([200, expect.any(String)]);
    const put = await vhosts('PUT', `/${healthy}`, { config: 'respond better' });
    expect(put.status).toBe(200);
    expect((await stack.served('well.example')).text).toBe('better');
    expect(await status()).toMatchObject({ inStep: true, broken: [] });
  });
});
