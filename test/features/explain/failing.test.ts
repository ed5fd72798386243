// proof: features
/** A site that fails for everyone is not live, and one that works is never said to fail. */
import { expect, test } from 'bun:test';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';
import type { Status } from '../../../src/web/lib/types.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { limit } from '../../harness/speed.ts';
import { ask, freePort, until } from '../../harness/stack.ts';
import { expectStatus, startHouse } from './house.ts';

const LONG = limit(60_000);
const house = await forFile(startHouse());
const { owner, stack } = house;
const forwarding = (upstream: string, more: object = {}) => ({
  config: 'reverse_proxy {upstream}',
  upstream,
  ...more,
});
const stateOf = async (id: number) =>
  (await owner.call<VhostState>('GET', `/vhosts/${id}/state`)).body;
const causeOf = async (id: number) => (await stateOf(id)).failing?.cause ?? null;
const becomes = (id: number, cause: string | null) =>
  until(async () => (await causeOf(id)) === cause, `the state ${cause}`);

const isExplained = async (id: number) => {
  const { problems } = (await owner.call<Status>('GET', '/status')).body;
  return problems.some(({ vhost, cause }) => vhost?.id === id && cause !== undefined);
};

const healthy = serverForFile(({ url }) =>
  new URL(url).pathname === '/password' ? new Response('no', { status: 401 }) : new Response('hi'),
);
const HEALTHY = `127.0.0.1:${healthy.port}`;
const { key, certificate: cert } = await selfSigned(['localhost']);
const secured = (port = 0) =>
  Bun.serve({ port, hostname: '127.0.0.1', tls: { key, cert }, fetch: () => new Response('hi') });
const plain = (port: number) =>
  Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response('hi') });

test('a site that works is live, also once it was explained', async () => {
  const { id } = await house.add(forwarding(HEALTHY));
  expect(await causeOf(id)).toBeNull();
  expect((await house.explain({ vhost: id })).verdict).toBe('works');
  expect(await causeOf(id)).toBeNull();
});

test('a site that only some get is not said to fail', async () => {
  const dead = `127.0.0.1:${freePort()}`;
  const [one, other] = ['10.9.8.0/24', '10.9.7.0/24'].map(
    (range, at) => `@out${at} not remote_ip ${range}\nrespond @out${at} 403\n`,
  );
  const shut = `${one}${other}reverse_proxy {upstream}`;
  const apart = `reverse_proxy /api/* ${dead}\nreverse_proxy {upstream}`;
  const spare = `reverse_proxy {upstream} ${dead} {\n\tlb_try_duration 5s\n}`;
  for (const config of [shut, apart, spare]) {
    const { id } = await house.add(forwarding(HEALTHY, { config }));
    expect([(await house.explain({ vhost: id })).verdict, await causeOf(id)]).toEqual([
      expect.stringMatching(/fails|unsure/),
      null,
    ]);
  }
});

test('a path that fails is not the site', async () => {
  const upstream = serverForFile(({ url }) =>
    new URL(url).pathname === '/broken' ? new Response('no', { status: 500 }) : new Response('hi'),
  );
  const { id } = await house.add(forwarding(`127.0.0.1:${upstream.port}`));
  expect((await house.explain({ vhost: id }, '/broken')).cause).toBe('UPSTREAM_ERROR');
  expect(await causeOf(id)).toBeNull();
});

test('a change that was only explained is not made', async () => {
  const { id } = await house.add(forwarding(HEALTHY));
  const operation = { op: 'update', id, upstream: `127.0.0.1:${freePort()}` };
  expect((await house.explain({ operation })).verdict).toBe('fails');
  expect(await causeOf(id)).toBeNull();
});

test('a viewer reads that it fails, and no address', async () => {
  const server = secured();
  const { id } = await house.add(forwarding(`127.0.0.1:${server.port}`));
  expect((await stateOf(id)).failing?.words).toContain(String(server.port));
  const account = { name: 'v', email: 'v@example.org', password: 'a long passphrase' };
  await expectStatus(owner, 201, 'POST', '/users', { ...account, role: 'viewer' });
  const { token } = (
    await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json: account })
  ).body;
  const headers = { Authorization: `Bearer ${token}` };
  const { body } = await ask<VhostState[]>(`${stack.hub}/vhosts/state`, { headers });
  const failing = body.find((one) => one.id === id)?.failing;
  expect(failing).toMatchObject({ cause: 'SPEAKS_TLS', words: expect.any(String) });
  expect(JSON.stringify(failing)).not.toContain(String(server.port));
  server.stop(true);
});

test(
  'a site is live again once a visitor was served, and its service was asked by nobody else',
  async () => {
    let [asked, status] = [0, 500];
    const upstream = serverForFile(() => {
      asked++;
      return new Response('hi', { status });
    });
    const { id, domain } = await house.add(forwarding(`127.0.0.1:${upstream.port}`));
    expect(await causeOf(id)).toBe('UPSTREAM_ERROR');
    const before = asked;
    // Who gets an error says nothing new.
    expect(await house.visit(domain)).toBe(500);
    status = 200;
    for (let count = 0; count < 5; count++) expect(await causeOf(id)).toBe('UPSTREAM_ERROR');
    expect(asked - before).toBe(1);
    expect(await house.visit(domain)).toBe(200);
    await becomes(id, null);
    expect(asked - before).toBe(2);
  },
  LONG,
);

test(
  'a site whose upstream is back is live again, and nobody asks it',
  async () => {
    const port = freePort();
    const { id } = await house.add(forwarding(`127.0.0.1:${port}`));
    expect(await causeOf(id)).toBe('UPSTREAM_REFUSED');
    // The problem is explained once.
    await until(() => isExplained(id), 'the cause of the problem');
    let asked = 0;
    const server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: () => new Response(`${++asked}`),
    });
    await becomes(id, null);
    expect(asked).toBe(0);
    server.stop(true);
  },
  LONG,
);

test(
  'a site whose upstream goes and comes is failing in between',
  async () => {
    const port = freePort();
    const first = plain(port);
    const { id } = await house.add(forwarding(`127.0.0.1:${port}`));
    expect(await causeOf(id)).toBeNull();
    first.stop(true);
    await becomes(id, 'UPSTREAM_REFUSED');
    const second = plain(port);
    await becomes(id, null);
    second.stop(true);
  },
  LONG,
);

test('an explanation counts until the next one, or a change', async () => {
  const server = secured();
  const upstream = `127.0.0.1:${server.port}`;
  const made = await house.add(forwarding(upstream));
  expect(await causeOf(made.id)).toBe('SPEAKS_TLS');
  const { port } = server;
  server.stop(true);
  const other = plain(port ?? 0);
  expect((await house.explain({ vhost: made.id })).verdict).toBe('works');
  expect(await causeOf(made.id)).toBeNull();
  other.stop(true);
  const last = secured(port);
  await house.explain({ vhost: made.id });
  expect(await causeOf(made.id)).toBe('SPEAKS_TLS');
  await owner.call('PATCH', `/vhosts/${made.id}/toggle`);
  expect(await causeOf(made.id)).toBeNull();
  await owner.call('PATCH', `/vhosts/${made.id}/toggle`);
  await house.explain({ vhost: made.id });
  expect(await causeOf(made.id)).toBe('SPEAKS_TLS');
  await house.change(made.id, { upstream: HEALTHY });
  expect(await causeOf(made.id)).toBeNull();
  last.stop(true);
});
