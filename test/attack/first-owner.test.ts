/** Nobody becomes the owner of somebody else's hub by a request with any trace of a proxy. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type HubAlone, startHubAlone } from '../harness/hub-alone.ts';
import { sendRaw } from '../harness/raw.ts';
import { ask } from '../harness/stack.ts';

let stack: HubAlone;
afterEach(() => stack.stop());

const ADA = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
const port = () => new URL(stack.hub).port;
const codeFile = () => join(stack.dataDir, 'setup-code');
const readCode = () => readFileSync(codeFile(), 'utf8').trim();

const signUp = (headers: Record<string, string> = {}, more: object = {}) =>
  ask<{ code?: string; token?: string }>(`${stack.hub}/auth/sign-up/email`, {
    json: { ...ADA, ...more },
    headers,
  });

/** A sign-up as bytes, with just these headers beside the body's own. */
function sendSignUp(headers: Record<string, string>) {
  const body = JSON.stringify(ADA);
  const all = { Host: `127.0.0.1:${port()}`, 'Content-Length': String(body.length), ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `POST /api/auth/sign-up/email HTTP/1.1\r\n${head.join('')}\r\n${body}`;
  return sendRaw(stack.hub, request);
}

/** What `curl -s --compressed` sends with these options, for somebody on the same machine. */
const CURL = { 'User-Agent': 'curl/8.14.1', 'Accept-Encoding': 'deflate, gzip, br, zstd' };
const CURL_OPTIONS = {
  '-d': { Accept: '*/*', 'Content-Type': 'application/x-www-form-urlencoded' },
  '--json': { Accept: 'application/json', 'Content-Type': 'application/json' },
};

async function curlSignUp(option: keyof typeof CURL_OPTIONS): Promise<number> {
  return (await sendSignUp({ ...CURL, ...CURL_OPTIONS[option] })).status;
}

/** @param answer of a sign-up that must not have made anybody the owner */
function expectRefused(answer: { status: number; text: string }): void {
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('SETUP_CODE_REQUIRED');
  expect(answer.text).not.toContain(readCode());
  expect(answer.text).not.toContain('"token"');
}

const PROXIES: [string, Record<string, string>][] = [
  ['nginx, proxy_pass and nothing else', { Connection: 'close' }],
  ['nginx, with an upgrade', { Connection: 'upgrade', Upgrade: 'websocket' }],
  [
    'Caddy',
    { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Host': 'a', 'X-Forwarded-Proto': 'http' },
  ],
  ['Apache', { Connection: 'Keep-Alive', 'X-Forwarded-Server': 'box.example' }],
  ['HAProxy', { 'X-Client-IP': '192.0.2.1' }],
  ['Envoy', { 'X-Envoy-Expected-Rq-Timeout-Ms': '15000' }],
  ['Go’s reverse proxy', { 'Accept-Encoding': 'gzip', 'X-Forwarded-For': '192.0.2.1' }],
  ['a CDN', { 'CDN-Loop': 'cloudflare', 'CF-Ray': '1' }],
  ['another CDN', { 'True-Client-IP': '192.0.2.1' }],
  ['a load balancer', { 'X-Amzn-Trace-Id': 'Root=1' }],
  ['a tunnel', { 'Tailscale-User-Login': 'x@example.org' }],
  ['a cache', { Via: '1.1 varnish', 'X-Varnish': '1' }],
  ['one that traces', { traceparent: '00-0-0-01' }],
  ['one that numbers', { 'X-Request-Id': '7' }],
  ['HTTP/1.0 with hop-by-hop names', { Connection: 'keep-alive, x' }],
  ['one that keeps Host', { Host: 'box.example' }],
  ['one whose name begins like the hub’s', { Host: '127.0.0.1.evil.example' }],
  ['one of a foreign page', { Host: 'evil.example', Origin: 'http://evil.example' }],
  ['one after RFC 7239', { Forwarded: 'for=127.0.0.1' }],
  ['one that names the client', { 'X-Real-IP': '127.0.0.1' }],
];

describe('a stranger does not become the owner', () => {
  test('behind any proxy on the same machine, but by curl without one', async () => {
    stack = await startHubAlone();
    for (const [proxy, headers] of PROXIES) {
      const { status, head, body } = await sendSignUp(headers);
      expect([proxy, status]).toEqual([proxy, 403]);
      expectRefused({ status, text: head + body });
    }
    expect(await curlSignUp('-d')).toBe(200);
  });

  test('with a body that is too long', async () => {
    stack = await startHubAlone();
    const raw = JSON.stringify({ ...ADA, name: 'x'.repeat(16 * 1024) });
    for (const what of ['sign-up', 'sign-in']) {
      const answer = await ask<{ code: string }>(`${stack.hub}/auth/${what}/email`, { raw });
      expect([what, answer.status, answer.body.code]).toEqual([what, 413, 'BODY_TOO_LARGE']);
      expect(answer.text).toContain('16 KiB');
    }
    expect(await curlSignUp('--json')).toBe(200);
  });

  test.each([
    ['TRUST_PROXY is set', { TRUST_PROXY: 'true' }],
    ['HUB_ORIGINS names another host', { HUB_ORIGINS: 'http://127.0.0.1 https://box.example' }],
    ['the hub listens beyond loopback', { HUB_HOST: '0.0.0.0' }],
  ])('if %s', async (_, env) => {
    stack = await startHubAlone(env as Record<string, string>);
    expectRefused(await signUp({ Host: '127.0.0.1' }));
    const code = { setupCode: readCode() };
    expect((await signUp({ Host: '127.0.0.1' }, code)).status).toBe(200);
  });

  test('more than 15 minutes after the first start, restarts or not', async () => {
    stack = await startHubAlone();
    const started = new Date(Date.now() - 15 * 60_000);
    utimesSync(codeFile(), started, started);
    expectRefused(await signUp());
    await stack.restart();
    expectRefused(await signUp());
    const later = new Date(Date.now() + 16 * 60_000);
    utimesSync(codeFile(), later, later);
    expectRefused(await signUp());
    expect((await ask(stack.hub.replace('/api', '/'))).text).toContain('data-door="setup-code"');
    expect((await signUp({}, { setupCode: readCode() })).status).toBe(200);
  });
});

test('a page on the same machine, opened in Firefox, needs no code', async () => {
  stack = await startHubAlone({ HUB_ORIGINS: 'http://localhost:3000,http://127.0.0.1' });
  const { status } = await sendSignUp({
    Host: '127.0.0.1',
    'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    Accept: '*/*',
    'Accept-Language': 'en-US,en;q=0.5',
    'Accept-Encoding': 'gzip, deflate, br, zstd',
    Referer: 'http://127.0.0.1/',
    'Content-Type': 'application/json',
    Origin: 'http://127.0.0.1',
    DNT: '1',
    'Sec-GPC': '1',
    Connection: 'keep-alive',
    'Sec-Fetch-Dest': 'empty',
    'Sec-Fetch-Mode': 'cors',
    'Sec-Fetch-Site': 'same-origin',
    Priority: 'u=0',
    Pragma: 'no-cache',
    'Cache-Control': 'no-cache',
  });
  expect(status).toBe(200);
});
