import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProxy } from '../../../../agent/caddy/proxy.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

/** A load that is accepted, accepted without becoming live, refused, or never answered. */
type Answer = 'accepted' | 'not live' | { error: string } | 'lost';

const OLD = { logging: { logs: { signalbox_access: { '@id': `rev-${'0'.repeat(64)}` } } } };
const TEXT = 'http://a.example {\n\trespond a\n}\n';

const folder = temporaryFolder();
const proxyfile = join(folder, 'Caddyfile');
let endpoint: ReturnType<typeof serveAdmin> | undefined;
afterEach(() => {
  endpoint?.server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Stands in for Caddy's admin endpoint, because a real Caddy cannot be made to refuse the
 * configuration it was just serving. It gives `answers` to the loads, in order.
 */
function serveAdmin(answers: Answer[]) {
  const loads: string[] = [];
  let live = OLD;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/adapt') return Response.json({ result: { apps: {} } });
      if (pathname === '/config/') return Response.json(live);
      if (pathname === '/metrics') return new Response();
      if (pathname !== '/load') return Response.json(live.logging.logs.signalbox_access['@id']);
      loads.push(await request.text());
      const answer = answers.shift() ?? 'lost';
      if (answer === 'accepted') live = JSON.parse(loads.at(-1) ?? '');
      if (answer === 'lost') server.stop(true);
      return typeof answer === 'string' ? new Response() : Response.json(answer, { status: 400 });
    },
  });
  return { server, loads };
}

const UNWRITABLE = 'after a write that failed';

/**
 * What becomes of a reload whose loads get these answers.
 * @param isUnwritable whether storing the Caddyfile fails after it is live, because a folder is in the way
 */
async function reload(answers: Answer[], isUnwritable = false) {
  mkdirSync(folder, { recursive: true });
  endpoint = serveAdmin(answers);
  const proxy = createProxy(
    {
      bin: 'caddy',
      proxyfile,
      admin: `127.0.0.1:${endpoint.server.port}`,
      managed: null,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      accessLog: {
        file: join(folder, 'access.log'),
        rollMb: 10,
        keep: 1,
        days: null,
        isKept: true,
      },
    },
    't'.repeat(32),
    () => {},
  );
  if (isUnwritable) mkdirSync(`${proxyfile}.signalbox`);
  const error = await proxy.reload(TEXT).catch((thrown: unknown) => thrown);
  const { restartNeeded } = await proxy.status();
  await proxy.stop();
  return { error, restartNeeded };
}

describe('if the previous configuration cannot be restored, the answer says so', () => {
  const REFUSED =
    'The proxy refused this configuration, and the previous one could not be restored.';
  const LOST = 'The proxy does not answer, and the previous configuration could not be restored.';
  const FULL =
    'The disk is full or not writable, and the previous configuration could not be restored.';
  const gone = { error: 'open /var/lib/old/key.pem: gone' };
  const restore = 'the previous configuration could not be restored: open key.pem: gone';

  test.each<[string, Answer[], string, string, string]>([
    [
      'after a refused load, because the proxy is gone',
      [{ error: 'no module' }, 'lost'],
      'PROXY_REJECTED',
      REFUSED,
      'no module; the previous configuration could not be restored: the admin endpoint does not answer',
    ],
    [
      'after a load without an answer',
      ['lost'],
      'PROXY_UNREACHABLE',
      LOST,
      'the previous configuration could not be restored: the admin endpoint does not answer',
    ],
    [
      UNWRITABLE,
      ['accepted', gone],
      'STORAGE_UNAVAILABLE',
      FULL,
      `Caddyfile.signalbox: it is a folder, not a file; ${restore}`,
    ],
  ])('%s', async (when, answers, code, message, detail) => {
    const { error } = await reload(answers, when === UNWRITABLE);
    expect(error).toMatchObject({ code, message, detail });
    expect((error as { cause: AggregateError }).cause.errors).toHaveLength(2);
  });
});

describe('if it is refused when it is loaded again, but still live, the first error stays as it was', () => {
  const gone = { error: 'open /var/lib/old/key.pem: gone' };

  test.each<[string, Answer, object]>([
    [
      'after a refused load',
      { error: 'loading new config: no module' },
      { code: 'PROXY_REJECTED', detail: 'no module' },
    ],
    [
      'after a failed start',
      { error: 'http app module: start: port in use' },
      { code: 'PROXY_REJECTED', detail: 'http app module: start: port in use' },
    ],
    [
      'after a load that did not become live',
      'not live',
      { code: 'PROXY_UNREACHABLE', detail: undefined },
    ],
  ])('%s', async (_, answer, expected) => {
    const { error } = await reload([answer, gone]);
    expect(error).toMatchObject(expected);
    expect((error as Error).message).toContain('nothing was changed');
  });
});

describe('if the previous configuration is restored, the first error stays as it was', () => {
  const unchanged = expect.stringContaining('nothing was changed');

  test.each<[string, Answer, object]>([
    [
      'after a refused load',
      { error: 'no module' },
      { code: 'PROXY_REJECTED', message: unchanged, detail: 'no module' },
    ],
    [
      'after a load that did not become live',
      'not live',
      { code: 'PROXY_UNREACHABLE', message: unchanged, detail: undefined },
    ],
    [UNWRITABLE, 'accepted', { code: 'EISDIR' }],
  ])('%s', async (when, answer, expected) => {
    const { error } = await reload([answer, 'accepted'], when === UNWRITABLE);
    expect(error).toMatchObject(expected);
    expect(endpoint?.loads[1]).toBe(JSON.stringify(OLD));
  });
});

test('an unmanaged proxy needs a restart after a failed start', async () => {
  const failed = { error: 'http app module: start: port in use' };
  expect((await reload([failed, 'accepted'])).restartNeeded).toBe(true);
  expect((await reload([{ error: 'no module' }, 'accepted'])).restartNeeded).toBe(false);
});
