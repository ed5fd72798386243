import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VhostState } from '../../../../src/hub/watch/sites/view.ts';
import { newSelfSigned } from '../../../../src/shared/x509.ts';
import { addressState } from '../../../harness/facts.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startRefusingAcme } from '../../../harness/refusing-acme.ts';
import {
  ask,
  freePort,
  signUp,
  startLocalCaStack,
  startStack,
  until,
} from '../../../harness/stack.ts';

type Refusal = { code: string; message: string };
type State = VhostState;
type Ending = { id: number; name: string; daysLeft: number; notAfter: string; overdue: boolean };

const DAY_MS = 86_400_000;

const acme = await forFile(startRefusingAcme());

const stack = await forFile(startLocalCaStack());
const headers = (await signUp(stack)).headers;

async function create(domain: string, config: string): Promise<number> {
  const made = await ask<{ id: number }>(`${stack.hub}/vhosts`, {
    headers,
    json: { domain, config },
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.body.id;
}
const put = async (id: number, json: object) =>
  expect((await ask(`${stack.hub}/vhosts/${id}`, { method: 'PUT', headers, json })).status).toBe(
    200,
  );
async function stateOf(id: number): Promise<State> {
  const answer = await ask<State>(`${stack.hub}/vhosts/${id}/state`, { headers });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
}
/** The state, once it meets a condition. */
const stateWhen = (id: number, holds: (state: State) => unknown): Promise<State> =>
  until(async () => {
    const state = await stateOf(id);
    return holds(state) ? state : null;
  }, 'the state');
const ending = async (): Promise<Ending[]> =>
  (await ask<{ certificates: Ending[] }>(`${stack.hub}/status`, { headers })).body.certificates;

test('nothing is revealed while the proxy is down, though the status still works', async () => {
  const env = { PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${freePort()}` };
  const down = await startStack(env);
  const owner = await signUp(down);
  const state = await ask<Refusal>(`${down.hub}/vhosts/state`, owner);
  expect([state.status, state.body.code]).toEqual([502, 'PROXY_UNREACHABLE']);
  const status = await ask<{ certificates: Ending[] }>(`${down.hub}/status`, owner);
  expect([status.status, status.body.certificates]).toEqual([200, []]);
  await down.stop();
});

describe('a certificate is shown', () => {
  test('as the proxy presents it, for a name and a wildcard, without a line in the access log', async () => {
    const id = await create(
      'one.example',
      'one.example, *.two.example, http://three.example {\n\trespond hi\n}',
    );
    const { addresses, upstreams, errors } = await stateWhen(id, ({ addresses: all }) =>
      all.every(({ certificate, tls }) => certificate !== null || !tls),
    );
    const certificate = (name: string) => ({
      issuer: 'Caddy Local Authority - ECC Intermediate',
      names: [name],
      notBefore: expect.any(String),
      notAfter: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      daysLeft: 0,
      overdue: false,
    });
    const secure = (name: string) =>
      addressState({
        name,
        port: stack.httpsPort,
        certificate: certificate(name),
        checkedAt: expect.any(String),
        authority: 'internal',
      });
    expect(addresses).toEqual([
      secure('one.example'),
      secure('*.two.example'),
      addressState({
        name: 'three.example',
        port: stack.httpPort,
        tls: false,
        certificate: null,
        checkedAt: null,
        automated: false,
        authority: null,
      }),
    ]);
    expect([upstreams, errors]).toEqual([[], { acme: null, upstream: null }]);
    const logs = await ask<{ total: number }>(`${stack.hub}/logs?domain=one.example`, { headers });
    expect(logs.body.total).toBe(0);
  });

  test('in the list of all vhosts, in the same order', async () => {
    const all = await ask<State[]>(`${stack.hub}/vhosts/state`, { headers });
    const vhosts = await ask<State[]>(`${stack.hub}/vhosts`, { headers });
    expect(all.body.map(({ id }) => id)).toEqual(vhosts.body.map(({ id }) => id));
  });

  test('never if asking for it could issue one', async () => {
    const id = await create('demand.example', 'tls internal {\n\ton_demand\n}\nrespond hi');
    const { addresses } = await stateOf(id);
    expect(addresses).toMatchObject([
      { name: 'demand.example', served: true, certificate: null, checkedAt: null },
    ]);
    expect(addresses[0]?.reason).toContain('on demand');
    await ask(`${stack.hub}/vhosts/state`, { headers });
    expect(storedNames()).not.toContain('demand.example');
    expect(storedNames()).toContain('one.example');
  });

  test('not for a disabled vhost, even if another one has its address', async () => {
    const id = await create('off.example', 'respond off');
    await stateWhen(id, ({ addresses }) => addresses[0]?.certificate);
    await ask(`${stack.hub}/vhosts/${id}/toggle`, { method: 'PATCH', headers });
    const { enabled, addresses } = await stateOf(id);
    expect([enabled, addresses[0]?.served, addresses[0]?.certificate]).toEqual([
      false,
      false,
      null,
    ]);
  });
});

/** The names for which the proxy's own CA has issued certificates. */
const storedNames = (): string[] =>
  readdirSync(join(stack.dataDir, 'caddy/data/caddy/certificates/local'));

test('a refused certificate order is shown after the 201, without paths, with the reason', async () => {
  const id = await create(
    'refused.example',
    `tls {\n\tissuer acme ${acme.directory}\n}\nrespond hi`,
  );
  const { addresses, errors } = await stateWhen(id, (state) => state.errors.acme?.retryAt);
  expect(addresses[0]).toMatchObject({
    certificate: null,
    reason: 'The proxy has no certificate for this name yet.',
  });
  expect(errors.acme).toMatchObject({ name: 'refused.example', standing: true });
  expect(errors.acme?.message).toContain('rateLimited - too many certificates (see limits)');
  expect(Date.parse(errors.acme?.retryAt ?? '')).toBeGreaterThan(Date.parse(errors.acme?.at ?? ''));
  expect(errors.upstream).toBeNull();
  expect(JSON.stringify(errors)).not.toContain('/var/lib');
  expect(acme.orders.length).toBeGreaterThan(0);
});

describe('an upstream', () => {
  test('is down while nothing listens, until a request succeeds', async () => {
    const port = freePort();
    const id = await create('http://up.example', `reverse_proxy 127.0.0.1:${port}`);
    const address = `127.0.0.1:${port}`;
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect((await stateOf(id)).upstreams).toEqual([
      {
        address,
        up: false,
        since: time,
        lastChecked: time,
        latencyMs: null,
        unknown: null,
        requests: 0,
        fails: 0,
        error: { at: time, message: 'connection refused' },
      },
    ] as never);

    expect((await stack.served('up.example')).status).toBe(502);
    const down = await stateWhen(id, ({ errors }) => errors.upstream);
    const message = expect.stringContaining('connection refused');
    expect(down.upstreams).toMatchObject([{ address, up: false, error: { message } }]);
    expect(down.errors.upstream).toMatchObject({ name: 'up.example', message, standing: true });

    const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('back') });
    expect((await stack.served('up.example')).status).toBe(200);
    const up = await stateWhen(
      id,
      ({ errors, upstreams }) => errors.upstream?.standing === false && upstreams[0]?.up,
    );
    expect(up.upstreams).toMatchObject([{ address, up: true, unknown: null, error: null }]);
    expect(Date.parse(up.upstreams[0]?.since ?? '')).toBeGreaterThan(
      Date.parse(down.upstreams[0]?.since ?? ''),
    );
    await server.stop(true);
  });

  test('with a health check is up or down without a request', async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') });
    const [good, bad] = [`127.0.0.1:${server.port}`, `127.0.0.1:${freePort()}`];
    const id = await create(
      'http://checked.example',
      `reverse_proxy ${good} ${bad} {\n\thealth_uri /\n\thealth_interval 100ms\n}`,
    );
    const { upstreams } = await stateWhen(id, ({ upstreams: [one, two] }) => one?.up && two?.error);
    expect(upstreams).toMatchObject([
      { address: good, up: true, error: null },
      { address: bad, up: false, error: { message: expect.stringContaining('refused') } },
    ]);
    await server.stop(true);
  });
});

describe('a certificate that expires', () => {
  const files = () => ({ cert: join(stack.folder, 'own.pem'), key: join(stack.folder, 'own.key') });

  async function writeCertificate(days: number): Promise<void> {
    const notBefore = new Date(Date.now() - 100 * DAY_MS);
    const notAfter = new Date(Date.now() + days * DAY_MS + DAY_MS / 2);
    const pair = await newSelfSigned('own', ['own.example'], notBefore, notAfter);
    writeFileSync(files().cert, pair.cert);
    writeFileSync(files().key, pair.key);
  }

  test('soon is in the status, without those of Caddy’s own authority, until it is renewed', async () => {
    await writeCertificate(5);
    const { cert, key } = files();
    const id = await create('own.example', `tls ${cert} ${key}\nrespond own`);
    const [first] = await until(async () => {
      const all = await ending();
      return all[0]?.name === 'own.example' && all;
    }, 'the status');
    expect(first).toMatchObject({ id, domain: 'own.example', daysLeft: 5, overdue: true });
    // Caddy's own CA issues certificates for twelve hours and renews them after eight.
    expect(await ending()).toHaveLength(1);
    const { addresses } = await stateOf(id);
    expect(addresses).toMatchObject([
      { automated: false, certificate: { daysLeft: 5, overdue: true } },
    ]);
    const metrics = await ask(stack.hub.replace('/api', '/metrics'), { headers });
    const [, seconds] =
      /certificate_expiry_timestamp_seconds\{name="own.example"\} (\d+)/.exec(metrics.text) ?? [];
    expect(Math.floor((Number(seconds) * 1000 - Date.now()) / DAY_MS)).toBe(5);

    await writeCertificate(60);
    await put(id, { config: `tls ${cert} ${key}\nrespond renewed` });
    await until(async () => !(await ending()).some(({ name }) => name === 'own.example'));
    const renewed = await stateWhen(id, ({ addresses: [one] }) => one?.certificate);
    expect(renewed.addresses[0]?.certificate?.daysLeft).toBe(60);
  });
});

test('a restarted agent remembers errors, beside the access log and nowhere else', async () => {
  const id = await create('http://again.example', `reverse_proxy 127.0.0.1:${freePort()}`);
  await stack.served('again.example');
  const before = await stateWhen(id, ({ errors }) => errors.upstream);
  await stack.restart();
  const after = await stateWhen(id, ({ errors }) => errors.upstream);
  expect(after.errors.upstream).toEqual(before.errors.upstream);
  const file = join(stack.dataDir, 'logs/signalbox-errors.log');
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).not.toContain('handled request');
  expect(readFileSync(stack.accessLog, 'utf8')).not.toContain('"logger":"tls');
});
