// proof: features
/** `/explanations`: who may ask, for what, how often, and what a look leaves behind. */
import { describe, expect, test } from 'bun:test';
import type { Explanation } from '../../../src/features/explain/schemas.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, freePort } from '../../harness/stack.ts';

type Answer = Explanation & { code?: string };

const owner = await forFile(startOwner());
const seen: { method: string; agent: string | null }[] = [];
const service = serverForFile(({ method, headers }) => {
  seen.push({ method, agent: headers.get('user-agent') });
  return new Response('hi');
});
const upstream = `127.0.0.1:${service.port}`;
const site = { config: 'reverse_proxy {upstream}', upstream };
const { body: healthy } = await owner.call('POST', '/vhosts', {
  domain: 'http://healthy.localhost',
  ...site,
});
const dead = `127.0.0.1:${freePort()}`;
const { body: broken } = await owner.call('POST', '/vhosts', {
  domain: 'http://broken.localhost',
  ...site,
  upstream: dead,
});

async function viewer(): Promise<Record<string, string>> {
  const account = { email: 'viewer@example.org', password: 'a long passphrase' };
  await owner.call('POST', '/users', { name: 'Vi', role: 'viewer', ...account });
  const { body } = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, {
    json: account,
  });
  return { Authorization: `Bearer ${body.token}` };
}
const asViewer = await viewer();
const explain = (json: object, headers: Record<string, string> = {}) =>
  owner.call<Answer>('POST', '/explanations', json, headers);

describe('is refused', () => {
  test.each<[string, object, number, string]>([
    ['a vhost that is unknown', { vhost: 99 }, 404, 'NOT_FOUND'],
    ['neither a vhost nor an operation', {}, 400, 'INVALID_REQUEST'],
    ['a path without a slash', { vhost: 1, path: 'x' }, 400, 'INVALID_REQUEST'],
    ['a path with a line end', { vhost: 1, path: '/\r\nX: y' }, 400, 'INVALID_REQUEST'],
    ['an operation of no site', { operation: { op: 'delete', id: 1 } }, 400, 'INVALID_REQUEST'],
    [
      'an operation that Caddy refuses',
      { operation: { op: 'update', id: 1, config: 'respnd hi' } },
      502,
      'PROXY_REJECTED',
    ],
  ])('%s', async (_, json, status, code) => {
    const answer = await explain(json);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('an operation of a viewer', async () => {
    const operation = { op: 'update', id: healthy.id, upstream: dead };
    const { status, body } = await explain({ operation }, asViewer);
    expect([status, body.code]).toEqual([403, 'FORBIDDEN_ROLE']);
  });

  test('a path that a viewer chooses, which the service would get past the policies', async () => {
    seen.length = 0;
    const { status, body } = await explain({ vhost: healthy.id, path: '/off?now' }, asViewer);
    expect([status, body.code]).toEqual([403, 'FORBIDDEN_ROLE']);
    expect(seen).toEqual([]);
    expect((await explain({ vhost: healthy.id, path: '/' }, asViewer)).status).toBe(200);
  });
});

test('a site that works takes two requests by GET that say who asks, and leaves nothing in the log', async () => {
  seen.length = 0;
  const { status, body } = await explain({ vhost: healthy.id });
  expect([status, body.verdict, body.step, body.cause, body.cure]).toEqual([
    200,
    'works',
    null,
    null,
    null,
  ]);
  expect(body.asked?.status).toBe(200);
  expect(body.steps.map(({ step }) => step).join()).toBe(
    'name,port,certificate,policy,connect,speak,answer',
  );
  expect(seen).toHaveLength(2);
  for (const { method, agent } of seen) {
    expect([method, agent?.startsWith('signalbox')]).toEqual(['GET', true]);
  }
  const { body: page } = await owner.call<{ total: number }>('GET', '/logs');
  expect(page.total).toBe(0);
});

test('a site that fails says to editors what to do, and to viewers no address', async () => {
  const [{ body }, { status, body: shown, text }] = [
    await explain({ vhost: broken.id }),
    await explain({ vhost: broken.id }, asViewer),
  ];
  expect([body.verdict, body.step, body.cause]).toEqual(['fails', 'connect', 'UPSTREAM_REFUSED']);
  expect(body.words).toContain(dead);
  expect([status, shown.verdict, shown.cause]).toEqual([200, 'fails', 'UPSTREAM_REFUSED']);
  expect(text).not.toContain('127.0.0.1');
});

test('a site that is off is explained as if it were on, and stays off', async () => {
  await owner.call('PATCH', `/vhosts/${healthy.id}/toggle`);
  const { body } = await explain({ vhost: healthy.id });
  expect([body.verdict, body.asked?.status]).toEqual(['works', 200]);
  expect(owner.stack.readProxyfile()).not.toContain('healthy');
  await owner.call('PATCH', `/vhosts/${healthy.id}/toggle`);
});

test('a change is explained before it is made, and its cure is that change', async () => {
  const secure = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => {
        socket.end('HTTP/1.0 400 Bad Request\r\n\r\nnothing');
      },
    },
  });
  const operation = { op: 'create', domain: 'http://new.localhost', ...site };
  const { body } = await explain({ operation });
  expect(body.verdict).toBe('works');
  const other = { ...operation, upstream: `127.0.0.1:${secure.port}` };
  expect((await explain({ operation: other })).body.verdict).toBe('unsure');
  secure.stop(true);
  const policy = { op: 'toggle', id: broken.id };
  expect((await explain({ operation: policy })).body.cause).toBe('UPSTREAM_REFUSED');
  expect((await owner.call<unknown[]>('GET', '/vhosts')).body).toHaveLength(2);
});
