/** How sites are asked between changes. What Caddy does is under test/caddy. */
import { beforeEach, expect, test } from 'bun:test';
import { AdminUnreachable } from '../../../../agent/caddy/admin.ts';
import { createRounds } from '../../../../agent/sites/checks/rounds.ts';
import type { LiveSite } from '../../../../agent/sites/live-sites.ts';
import type { Check } from '../../../../src/shared/wire/checks.ts';
import { serverForFile } from '../../../harness/for-file.ts';
import { freePort, until } from '../../../harness/stack.ts';

let asked: string[] = [];
const site = serverForFile(
  (request) => {
    const { pathname } = new URL(request.url);
    asked.push(`${pathname} ${request.headers.get('user-agent')}`);
    if (pathname === '/hang') return new Promise<Response>(() => {});
    return new Response('ready', { status: pathname === '/wrong' ? 503 : 200 });
  },
  { idleTimeout: 0 },
);

const liveAt = (name: string, port: number): LiveSite => ({
  name,
  ports: [port],
  tls: null,
  alone: true,
  upstreams: [],
  listeners: [{ host: '127.0.0.1', port, tls: false }],
});
const here = [liveAt('a.example', site.port ?? 0), liveAt('b.example', site.port ?? 0)];
const away = () => Promise.reject(new AdminUnreachable('gone'));
const never = new AbortController().signal;
const target = (check: Check | null, name = 'a.example', port = site.port ?? 0) => ({
  name,
  port,
  check,
});
const roundsOf = (
  last: readonly LiveSite[] | null,
  now: () => Promise<readonly LiveSite[]> = away,
) => createRounds({ last: () => last, now }, () => 'signalbox-check/word');

beforeEach(() => {
  asked = [];
});

test('each is asked once, and a right answer says how long it took', async () => {
  const checks = [target({ path: '/wrong', within: 5 }), target({ path: '/', contains: 'ready' })];
  expect(await roundsOf(here).run({ checks }, never)).toEqual([
    {
      passed: false,
      status: 503,
      reason: 'GET /wrong answered 503 instead of a status from 200 to 299',
    },
    { passed: true, status: 200, reason: 'GET / answered 200', took: expect.any(Number) },
  ]);
  expect(asked.toSorted()).toEqual(['/ signalbox-check/word', '/wrong signalbox-check/word']);
});

test('one that hangs is waited for as long as its check says, and keeps no other waiting', async () => {
  const rounds = roundsOf(here);
  let isOver = false;
  const hanging = rounds
    .run({ checks: [target({ path: '/hang', within: 1.5 })] }, never)
    .finally(() => {
      isOver = true;
    });
  await until(() => asked.length > 0, 'the first request');
  expect(await rounds.run({ checks: [target({ path: '/' })] }, never)).toMatchObject([
    { passed: true },
  ]);
  expect(isOver).toBe(false);
  expect(await hanging).toEqual([
    { passed: false, status: null, reason: 'GET /hang was not answered within 1.5 s' },
  ]);
});

test('without a word of the proxy, the sites are asked where it served them last', async () => {
  const port = freePort();
  const rounds = roundsOf([...here, liveAt('dead.example', port)]);
  const checks = [target(null), target(null, 'dead.example', port), target(null, 'no.example')];
  expect(await rounds.run({ checks }, never)).toMatchObject([
    { passed: true },
    { passed: false, reason: `Nothing listens on port ${port}` },
    { passed: false, reason: `Caddy does not serve this name on port ${site.port}` },
  ]);
  expect(roundsOf(null).run({ checks }, never)).rejects.toMatchObject({
    code: 'PROXY_UNREACHABLE',
  });
});

test('without the proxy, nothing is said of the sites whose ports are closed', async () => {
  const port = freePort();
  const dead = [liveAt('dead.example', port)];
  const checks = [target(null, 'dead.example', port)];
  const failure = await roundsOf(dead)
    .run({ checks }, never)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'PROXY_UNREACHABLE' });
  expect(await roundsOf(dead, async () => dead).run({ checks }, never)).toMatchObject([
    { passed: false, reason: `Nothing listens on port ${port}` },
  ]);
});

test('what is live is only looked at if a site is not where it was', async () => {
  let looks = 0;
  const rounds = roundsOf(here, async () => {
    looks++;
    return [...here, liveAt('new.example', site.port ?? 0)];
  });
  expect(await rounds.run({ checks: [target(null)] }, never)).toMatchObject([{ passed: true }]);
  expect(looks).toBe(0);
  const checks = [target(null), target(null, 'new.example')];
  expect(await rounds.run({ checks }, never)).toMatchObject([{ passed: true }, { passed: true }]);
  expect(looks).toBe(1);
});
