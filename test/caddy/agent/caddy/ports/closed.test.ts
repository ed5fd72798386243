/** Listeners that cannot be opened when a configuration is loaded. */
import { afterEach, expect, test } from 'bun:test';
import { caddiesOf } from '../../../../harness/caddys.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { countListeners } from '../../../../harness/listeners.ts';
import { ask, freePort, type Stack, startStack, until } from '../../../../harness/stack.ts';

type Closed = { address: string; reason: string };

const cleanups: (() => void)[] = [];
const of = await forFile(startStack());
afterEach(async () => {
  for (const clean of cleanups.splice(0)) clean();
  // Each begins with a Caddy that listens nowhere.
  expect((await reload('# nothing\n', false)).status).toBe(200);
});
const hold = (port: number) => {
  const held = Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } });
  const free = () => held.stop(true);
  cleanups.push(free);
  return free;
};

const reload = (proxyfile: string, partial: boolean) =>
  ask<{ detail?: string }>(`${of.agent}/proxy/reload`, {
    json: { proxyfile, partial },
    headers: of.agentHeaders,
  });
const closed = async () =>
  (await ask<{ closed?: Closed[] }>(`${of.agent}/proxy/status`, { headers: of.agentHeaders })).body
    .closed ?? [];
const noneClosed = () => until(async () => (await closed()).length === 0, 'all listeners open');
const fetched = async (url: string, host: string) =>
  (
    await fetch(url, {
      headers: { Host: host },
      tls: { rejectUnauthorized: false },
      keepalive: false,
    }).catch(() => null)
  )?.text();

/** One site on each port; the second is HTTPS, so that the first redirects to it too. */
const both = ({ httpPort, httpsPort }: Stack) =>
  `{\nhttp_port ${httpPort}\nhttps_port ${httpsPort}\nlocal_certs\nskip_install_trust\n}\n` +
  `http://plain.localhost {\nrespond plain\n}\nsecure.localhost {\nrespond secure\n}\n`;
const plain = (of: Stack) =>
  of.served('plain.localhost').then(
    ({ text }) => text,
    () => '',
  );
const secure = (of: Stack) =>
  fetched(`https://secure.localhost:${of.httpsPort}/`, 'secure.localhost');

test('a port that is held is refused, with the holder, unless the rest may go live', async () => {
  const free = hold(of.httpsPort);
  const refused = await reload(both(of), false);
  expect(refused.status).toBe(502);
  expect(refused.body.detail).toContain(`:${of.httpsPort}: address already in use, held by `);
  expect(refused.body.detail).toContain(`(process ${process.pid})`);
  expect(await plain(of)).toBe('');

  expect((await reload(both(of), true)).status).toBe(200);
  expect(await plain(of)).toBe('plain');
  expect(await closed()).toEqual([
    {
      address: `:${of.httpsPort}`,
      port: of.httpsPort,
      reason: expect.stringContaining(`(process ${process.pid})`),
    } as never,
  ]);
  free();
  await noneClosed();
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
  expect(await plain(of)).toBe('plain');
  const logged = of.lines.filter((line) => line.includes('listeners closed'));
  expect(logged.length).toBe(1);
});

test('HTTPS does not need the HTTP port', async () => {
  const free = hold(of.httpPort);
  expect((await reload(both(of), true)).status).toBe(200);
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
  free();
  await noneClosed();
  expect(await plain(of)).toBe('plain');
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
});

test('nor HTTP/3', async () => {
  const udp = await Bun.udpSocket({ hostname: '0.0.0.0', port: of.httpsPort });
  cleanups.push(() => udp.close());
  expect((await reload(both(of), true)).status).toBe(200);
  expect(await plain(of)).toBe('plain');
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
  expect((await closed()).map(({ address }) => address)).toEqual([`udp/:${of.httpsPort}`]);
  for (const port of [of.httpPort, of.httpsPort]) {
    await until(() => countListeners(port) === 1, `one listener on port ${port}`);
  }
  expect((await reload(`${both(of)}# changed\n`, false)).status).toBe(200);
  udp.close();
  await noneClosed();
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
});

test('an address that no interface has does not keep others from being served', async () => {
  const text = `http://plain.localhost:${of.httpPort} {\nrespond plain\n}\nhttp://far.localhost:${freePort()} {\nbind 203.0.113.1\nrespond far\n}\n`;
  const refused = await reload(text, false);
  expect(refused.body.detail).toContain('cannot assign requested address');
  expect((await reload(text, true)).status).toBe(200);
  expect(await plain(of)).toBe('plain');
  expect(await closed()).toMatchObject([{ reason: 'no interface has this address' }]);
  // A later change concerns another site, and one that needs another such listener is refused.
  expect((await reload(text.replace('respond plain', 'respond new'), false)).status).toBe(200);
  expect(await plain(of)).toBe('new');
  expect((await reload(text.replace('203.0.113.1', '203.0.113.2'), false)).status).toBe(502);
});

test('a Caddy that is killed serves the rest at once, and all of it later', async () => {
  expect((await reload(both(of), false)).status).toBe(200);
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
  const [caddy] = caddiesOf(of.dataDir);
  process.kill(caddy?.pid ?? 0, 'SIGKILL');
  const free = await until(() => {
    try {
      return hold(of.httpsPort);
    } catch {
      return null;
    }
  }, 'the port');
  await until(async () => (await plain(of)) === 'plain', 'the HTTP site');
  expect((await closed()).length).toBe(1);
  free();
  await until(async () => (await secure(of)) === 'secure', 'the HTTPS site');
});
