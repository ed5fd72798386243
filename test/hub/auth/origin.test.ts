import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, signUp } from '../../harness/stack.ts';

const stack = await forFile(startHubAlone());
const cookie = () => ({ Cookie: `signalbox_session=${owner.token}` });
const change = (headers: Record<string, string>) =>
  ask<{ code: string }>(`${stack.hub}/vhosts/1`, { method: 'DELETE', headers });

const owner = await signUp(stack);

const own = () => new URL(stack.hub).host;

describe('a change with a cookie is refused', () => {
  test.each([
    ['from another origin', { Origin: 'https://evil.example' }],
    ['from another port', { Origin: 'http://127.0.0.1:1' }],
    ['from an opaque origin', { Origin: 'null' }],
    ['with a malformed Origin', { Origin: 'evil' }],
    ['from another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from another subdomain of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('%s', async (_, headers) => {
    const answer = await change({ ...cookie(), ...headers });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  });

  test('if only one of the two headers is foreign', async () => {
    const origin = `http://${own()}`;
    const site = { 'Sec-Fetch-Site': 'cross-site', Origin: origin };
    expect((await change({ ...cookie(), ...site })).status).toBe(403);
    const page = { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' };
    expect((await change({ ...cookie(), ...page })).status).toBe(403);
  });

  test.each([
    ['with spaces around its name', (token: string) => `signalbox_session = ${token}`],
    ['after a tab', (token: string) => `a=b;\tsignalbox_session=${token}`],
    ['in quotes', (token: string) => `signalbox_session="${token}"`],
    [
      'after another of its name',
      (token: string) => `signalbox_session=;signalbox_session=${token}`,
    ],
    [
      'percent-encoded',
      (token: string) => `signalbox_session=%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
    ],
  ])('whose cookie is written %s', async (_, write) => {
    const headers = { Cookie: write(owner.token), Origin: 'https://evil.example' };
    expect((await change(headers)).body.code).toBe('FORBIDDEN_ORIGIN');
  });

  test('even if the cookie’s session has ended', async () => {
    const headers = { Cookie: 'a=b; __Host-signalbox_session=old', Origin: 'https://evil.example' };
    expect((await change(headers)).body.code).toBe('FORBIDDEN_ORIGIN');
  });
});

test.each(['sign-in/email', 'sign-up/email', 'sign-out'])(
  '%s cannot be called by a foreign page',
  async (path) => {
    const answer = await ask<{ code: string }>(`${stack.hub}/auth/${path}`, {
      json: { email: 'ada@example.org', password: 'a long passphrase', name: 'Ada' },
      headers: { Origin: 'https://evil.example' },
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  },
);

describe('allowed', () => {
  test('the hub’s own pages, curl with a cookie jar, the address bar', async () => {
    const page = { Origin: `http://${own()}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await change({ ...cookie(), ...page })).status).toBe(404);
    expect((await change(cookie())).status).toBe(404);
    expect((await change({ ...cookie(), 'Sec-Fetch-Site': 'none' })).status).toBe(404);
  });

  test('a bearer token from anywhere, because no browser adds one by itself', async () => {
    const headers = { ...owner.headers, ...cookie(), Origin: 'https://evil.example' };
    expect((await change(headers)).status).toBe(404);
  });

  test('reads, whose responses other pages cannot see without CORS', async () => {
    const headers = { ...cookie(), Origin: 'https://evil.example' };
    const answer = await ask(`${stack.hub}/vhosts`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await ask(`${stack.hub}/vhosts`, {
      method: 'OPTIONS',
      headers: { ...headers, 'Access-Control-Request-Method': 'DELETE' },
    });
    expect(preflight.status).toBe(404);
    expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
  });
});

test('HUB_ORIGINS refuses any other Host, except on the health route', async () => {
  const hub = await startHubAlone({
    HUB_ORIGINS: 'https://Box.example https://alias.example:8443',
  });
  const get = (Host: string, path = '/auth/get-session', more = {}) =>
    ask<{ code: string }>(`${hub.hub}${path}`, { headers: { Host, ...more } });
  for (const host of ['evil.example', 'box.example:8443', 'alias.example', '127.0.0.1']) {
    expect((await get(host)).body.code).toBe('FORBIDDEN_ORIGIN');
  }
  for (const host of ['box.example', 'BOX.example:443', 'alias.example:8443']) {
    expect((await get(host)).status).toBe(200);
  }
  expect((await get('evil.example', '/health')).status).toBe(200);
  // The page of the dashboard, which is beside the API.
  expect((await get('evil.example', '/../')).body.code).toBe('FORBIDDEN_ORIGIN');
  expect((await get('box.example', '/../')).text).toContain('<html');
  const out = await ask(`${hub.hub}/auth/sign-out`, {
    method: 'POST',
    headers: { Host: 'box.example', Origin: 'https://box.example' },
  });
  expect(out.status).toBe(200);
  await hub.stop();
});

test('every response has security headers', async () => {
  const requests: [string, object][] = [
    ['/health', {}],
    ['/nothing', {}],
    ['/vhosts', {}],
    ['/vhosts', { headers: owner.headers }],
    ['/auth/sign-in/email', { raw: '{' }],
    ['/auth/get-session', {}],
  ];
  for (const [path, init] of requests) {
    const { headers } = await ask(`${stack.hub}${path}`, init);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('server')).toBeNull();
  }
});
