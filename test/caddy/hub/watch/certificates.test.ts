import { describe, expect, test } from 'bun:test';
import type { CertificateEntry } from '../../../../src/hub/watch/sites/certificate-list.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startRefusingAcme } from '../../../harness/refusing-acme.ts';
import { ask, signUp, startStack, until } from '../../../harness/stack.ts';

type Refusal = { code: string; message: string; field?: string };
type Advice = { code: string; message: string; ways: string[] };
type DraftAdvice = {
  names: { name: string; port: number; authority: string | null; advice: Advice | null }[];
  dns: { providers: string[]; command: string | null };
};

const acme = await forFile(startRefusingAcme());
const stack = await forFile(startStack());
const port = stack.httpsPort;
const headers = (await signUp(stack)).headers;

async function create(domain: string, config: string): Promise<void> {
  const made = await ask(`${stack.hub}/vhosts`, { headers, json: { domain, config } });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
}
const list = async (): Promise<CertificateEntry[]> =>
  (await ask<CertificateEntry[]>(`${stack.hub}/certificates`, { headers })).body;
const entryWhen = (
  name: string,
  holds: (entry: CertificateEntry) => unknown,
): Promise<CertificateEntry> =>
  until(async () => {
    const entry = (await list()).find((one) => one.name === name);
    return entry && holds(entry) ? entry : null;
  }, `the certificate of ${name}`);
const root = () => ask<Refusal>(`${stack.hub}/certificates/root`, { headers });
const advise = (json: object) =>
  ask<DraftAdvice & Refusal>(`${stack.hub}/certificates/advice`, { headers, json });

test('without a use for Caddy’s own authority there is no root', async () => {
  const before = await ask<{ config: string }>(`${stack.hub}/preamble`, { headers });
  const put = (config: string) =>
    ask(`${stack.hub}/preamble`, { method: 'PUT', headers, json: { config } });
  // This option alone makes Caddy create an authority.
  const without = before.body.config.replace('skip_install_trust', '');
  expect((await put(without)).status).toBe(200);
  await create('http://plain.example', 'respond hi');
  const answer = await root();
  expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  expect(await list()).toEqual([]);
  expect((await put(before.body.config)).status).toBe(200);
});

describe('advice on a draft', () => {
  test('is refused for what cannot be a site', async () => {
    const empty = await advise({ domain: '', config: 'respond hi' });
    expect([empty.status, empty.body.code, empty.body.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'domain',
    ]);
    const wrong = await advise({ domain: 'nas.lan', config: 'respnd hi' });
    expect([wrong.status, wrong.body.code]).toEqual([502, 'PROXY_REJECTED']);
    const leak = await advise({ domain: 'nas.lan', config: 'import /etc/passwd' });
    expect([leak.status, leak.text.includes('root:')]).toEqual([502, false]);
  });

  test('is not given for plain HTTP', async () => {
    expect((await advise({ domain: 'http://nas.lan', config: 'respond hi' })).body.names).toEqual(
      [],
    );
  });

  test('says why no public certificate can come, and stores nothing', async () => {
    const { body } = await advise({ domain: 'nas.lan', config: 'respond hi' });
    expect(body.names).toEqual([
      {
        name: 'nas.lan',
        port,
        authority: 'public',
        advice: {
          code: 'INTERNAL_NAME',
          message: expect.any(String),
          ways: ['internal', 'http'],
        } as never,
      },
    ]);
    expect([body.dns.providers, body.dns.command]).toEqual([
      [],
      expect.stringContaining('caddyserver.com'),
    ]);
    const own = await advise({ domain: 'nas.lan', config: 'tls internal\nrespond hi' });
    expect(own.body.names).toEqual([
      { name: 'nas.lan', port, authority: 'internal', advice: null },
    ]);
    const local = await advise({ domain: 'nas.local', config: 'respond hi' });
    expect(local.body.names[0]?.authority).toBe('internal');
    const wild = await advise({ domain: '*.example.org', config: 'respond hi' });
    expect(wild.body.names[0]?.advice?.code).toBe('WILDCARD');
    const ports = await advise({ domain: 'app.example.org', config: 'respond hi' });
    expect(ports.body.names[0]?.advice?.code).toBe('PORT');
    expect((await ask<unknown[]>(`${stack.hub}/vhosts`, { headers })).body.length).toBe(1);
  });
});

test('a name without a certificate is listed with the reason, the error and the next attempt', async () => {
  const config = `tls {\n\tca ${acme.directory}\n}\nrespond hi`;
  await create('refused.example', config);
  const entry = await entryWhen('refused.example', ({ error }) => error?.retryAt);
  expect(entry).toMatchObject({
    issuer: null,
    daysLeft: null,
    authority: 'other',
    problem: expect.any(String),
    advice: {
      code: 'ACME',
      message: expect.stringContaining('limit of certificates'),
      ways: ['internal'],
    },
  });
  expect(entry.error?.message).not.toContain('/var/lib/authority');
});

test('the root of Caddy’s own authority can be downloaded, without a key', async () => {
  await create('own.lan', 'tls internal\nrespond hi');
  const entry = await entryWhen('own.lan', ({ issuer }) => issuer);
  expect(entry).toMatchObject({
    authority: 'internal',
    problem: null,
    advice: null,
    error: null,
    daysLeft: 0,
    issuer: expect.stringContaining('Caddy Local Authority'),
  });
  const { status, text, headers: sent } = await root();
  expect([status, sent.get('content-type'), sent.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining('application/x-pem-file'),
    'attachment; filename="caddy-root.crt"',
  ]);
  expect(text).toMatch(/^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/);
  expect(text).not.toContain('PRIVATE');
  // It is the one that signs: a client that trusts it accepts the site.
  const served = await until(
    () =>
      fetch(`https://127.0.0.1:${port}/`, {
        headers: { Host: `own.lan:${port}` },
        keepalive: false,
        tls: { ca: text, serverName: 'own.lan' },
      }).catch(() => null),
    'the site',
  );
  expect(await served.text()).toBe('hi');
});
