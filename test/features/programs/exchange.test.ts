// proof: caddys
/** Another program of Caddy in place of the one that runs, while visitors are served. */
import { afterEach, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { portsOf } from '../../../agent/caddy/ports/sockets.ts';
import { digestOf } from '../../../agent/caddy/reload/proxyfile.ts';
import { line } from '../../agent/logs/lines.ts';
import { caddiesOf, versionOf } from '../../harness/caddys.ts';
import { some } from '../../harness/full.ts';
import { type LoneAgent, siteOf, startLoneAgent } from '../../harness/lone-agent.ts';
import { anotherCaddy, OWN, programsOf, sumOf } from '../../harness/programs.ts';
import { limit } from '../../harness/speed.ts';
import { ask, freePort, temporaryFolder, until } from '../../harness/stack.ts';
import { isRoot, openFolder } from '../../harness/unprivileged.ts';

const NEXT = anotherCaddy();
const [own, next] = [OWN, NEXT].map((file) => sumOf(readFileSync(file))) as [string, string];
const EXCHANGES = some(2, 50, 'EXCHANGES');
/** Whether one of them ends websockets at any load, and lacks certificates for a moment: see docs/limits.md. */
const isOld = [OWN, NEXT].some((bin) => Bun.semver.satisfies(versionOf(bin), '<2.7.0'));

let agent: LoneAgent | undefined;
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

async function start(sites = siteOf('http://a.test'), more: Record<string, string> = {}) {
  const started = await startLoneAgent(more);
  agent = started;
  const using = programsOf(started);
  const text = started.text([], sites);
  expect((await started.reload(text)).status).toBe(200);
  expect((await using.keep(readFileSync(NEXT))).body).toMatchObject({ sha256: next, since: null });
  return { agent: started, using, text };
}

const served = ({ httpPort }: LoneAgent, host = 'a.test', path = '/') =>
  ask(`http://127.0.0.1:${httpPort}${path}`, { headers: { Host: host } });

/** Waits until one Caddy runs, and serves what is on disk. */
async function inStep(of: LoneAgent): Promise<void> {
  await until(() => caddiesOf(of.dataDir).length === 1);
  await until(async () => (await of.status()).liveDigest === digestOf(of.readProxyfile()));
  expect((await served(of)).text).toBe('http://a.test');
}

const over = (using: ReturnType<typeof programsOf>) =>
  until(async () => (await using.programs()).probation === null);

describe('a program', () => {
  test('is asked for by its sum, and runs; the one before is kept, and can be gone back to', async () => {
    const { agent, using, text } = await start();
    const [first] = caddiesOf(agent.dataDir);
    const done = await using.exchange(next, text);
    expect(done).toMatchObject({
      status: 200,
      body: { success: true, from: versionOf(OWN), to: versionOf(NEXT), digest: digestOf(text) },
    });
    expect(done.body).toMatchObject({ differences: [], leftOut: [] });
    const after = await using.programs();
    expect(after).toMatchObject({
      current: { sha256: next, version: versionOf(NEXT), since: expect.any(String) },
      previous: [{ sha256: own, version: versionOf(OWN) }],
      probation: { until: expect.any(String) },
      managed: true,
    });
    expect((await agent.status()).proxy.version).toBe(versionOf(NEXT));
    await inStep(agent);
    expect(caddiesOf(agent.dataDir)).not.toContainEqual(first);
    const again = await using.exchange(own, text);
    expect(again).toMatchObject({ status: 409, body: { code: 'ON_PROBATION' } });
    await over(using);
    expect((await agent.reload(text.replace('respond', '# changed\n\trespond'))).status).toBe(200);
    await inStep(agent);
    expect(await using.exchange(own, text, { expects: digestOf(text) })).toMatchObject({
      status: 409,
      body: { code: 'STALE' },
    });
    expect((await using.exchange(own, agent.readProxyfile())).body).toMatchObject({
      from: versionOf(NEXT),
      to: versionOf(OWN),
    });
    await inStep(agent);
    expect(await using.programs()).toMatchObject({
      current: { sha256: own },
      previous: [{ sha256: next }],
    });
  });

  test(
    `is exchanged ${EXCHANGES} times, and no request fails`,
    async () => {
      const upstream = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: (request, server) =>
          server.upgrade(request) ? undefined : new Response('of the upstream'),
        websocket: { message: (socket, text) => void socket.send(text) },
      });
      const proxied = (name: string) =>
        `${name} {\n\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`;
      const sites =
        siteOf('http://a.test') + siteOf('b.test', 'tls internal') + proxied('http://c.test');
      const { agent, using, text } = await start(sites);
      const visits = startVisits(agent);
      const sockets = startSockets(agent.httpPort, 20);
      for (let done = 0; done < EXCHANGES; done++) {
        const { body } = await using.exchange(done % 2 === 0 ? next : own, text);
        expect(body).toMatchObject({ success: true, differences: [] });
        await over(using);
      }
      const { failed, resets } = await visits.stop();
      expect(failed).toEqual([]);
      expect(visits.count()).toBeGreaterThan(100 * EXCHANGES);
      // As at as many publishes: on a busy machine, each may cost more than one.
      expect(resets).toBeLessThanOrEqual(5 * EXCHANGES);
      const { ended, open } = await sockets.stop();
      expect(open).toBe(20);
      if (!isOld) expect(ended).toBe(0);
      await upstream.stop(true);
      await inStep(agent);
    },
    limit(600_000),
  );

  test('is not lost to another that arrives meanwhile', async () => {
    const arrived = Promise.withResolvers<void>();
    const upstream = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => arrived.promise.then(() => new Response('now')),
    });
    const slow = `http://slow.test {\n\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`;
    const { agent, using, text } = await start(siteOf('http://a.test') + slow);
    const exchanged = using.exchange(next, text);
    await until(() => caddiesOf(agent.dataDir).length === 2);
    const other = await using.keep(
      new Uint8Array(Buffer.concat([readFileSync(OWN), Buffer.of(0)])),
    );
    arrived.resolve();
    expect([other.status, (await exchanged).status]).toEqual([200, 200]);
    await inStep(agent);
    await over(using);
    expect(existsSync(join(agent.dataDir, 'caddy/programs', next, 'caddy'))).toBe(true);
    await upstream.stop(true);
  });

  test('stays what it was if it cannot be written down that another one runs', async () => {
    const { agent, using, text } = await start();
    expect((await using.exchange(next, text)).status).toBe(200);
    await over(using);
    // As on a full disk.
    mkdirSync(join(agent.dataDir, 'caddy/programs/programs.json.part'));
    const refused = await using.exchange(own, text);
    expect(refused).toMatchObject({ status: 507, body: { code: 'STORAGE_UNAVAILABLE' } });
    expect(JSON.stringify(refused.body)).not.toContain(agent.folder);
    await inStep(agent);
    const after = await using.programs();
    expect(after).toMatchObject({ current: { sha256: next }, previous: [{ sha256: own }] });
    expect(after.probation).toBeNull();
    await agent.restart();
    await inStep(agent);
    expect((await using.programs()).current?.sha256).toBe(next);
  });

  test('is exchanged beneath a site that has HTTP/3 alone', async () => {
    const { agent, using } = await start();
    const only = [`servers :${agent.httpsPort} {\n\t\tprotocols h3\n\t}`];
    const sites = siteOf('http://a.test') + siteOf('b.test', 'tls internal');
    const text = agent.text([], sites, only);
    expect((await agent.reload(text)).status).toBe(200);
    expect((await using.exchange(next, text)).status).toBe(200);
    await inStep(agent);
    const [{ pid } = { pid: 0 }] = caddiesOf(agent.dataDir);
    expect(portsOf(pid, 'udp')).toContain(agent.httpsPort);
  });

  test('is not exchanged beneath a unix socket, whose file would go with the old one', async () => {
    const folder = temporaryFolder();
    const socket = join(folder, 'site.sock');
    const { using, text } = await start(siteOf('http://a.test', `bind unix/${socket}`));
    const refused = await using.exchange(next, text);
    expect(refused).toMatchObject({ status: 502, body: { code: 'PROGRAM_REFUSED' } });
    expect(refused.body.detail).toContain(`unix/${socket} is a unix socket`);
    const answer = await fetch('http://a.test/', { unix: socket });
    expect(await answer.text()).toBe('http://a.test');
    rmSync(folder, { recursive: true });
  });

  test('in place of which an upgrade put another one is what runs, until it is exchanged for that', async () => {
    const folder = temporaryFolder();
    const bin = join(folder, 'caddy');
    copyFileSync(OWN, bin);
    const { agent, using, text } = await start(undefined, { PROXY_BIN: bin });
    copyFileSync(NEXT, `${bin}.new`);
    renameSync(`${bin}.new`, bin);
    expect((await using.programs()).current).toMatchObject({
      sha256: own,
      version: versionOf(OWN),
    });
    expect((await using.exchange(own, text)).body.code).toBe('INVALID_REQUEST');
    expect((await using.exchange(next, text)).body).toMatchObject({
      from: versionOf(OWN),
      to: versionOf(NEXT),
    });
    await inStep(agent);
    expect(await using.programs()).toMatchObject({ current: { sha256: next }, previous: [] });
    rmSync(folder, { recursive: true });
  });

  test('that would answer requests of the log otherwise is refused', async () => {
    const { agent, using, text } = await start();
    const request = { host: 'a.test', uri: '/kept?secret=1', remote_ip: '192.0.2.7' };
    const entry = line({ ts: Date.now() / 1_000 - 3_600, status: 200, request });
    appendFileSync(agent.env.ACCESS_LOG, `${entry}\n`);
    const other = text.replace('respond', 'respond /kept gone 410\n\trespond');
    const refused = await using.exchange(next, other);
    expect(refused).toMatchObject({ status: 502, body: { code: 'PROGRAM_REFUSED' } });
    expect(refused.body.differences).toEqual([
      {
        domain: 'a.test',
        reason: '1 request (once, 1 visitor) gets 410 instead of 200, such as GET /kept',
      },
    ]);
    expect((await using.programs()).current?.sha256).toBe(own);
    expect(agent.readProxyfile()).toBe(text);
    await inStep(agent);
  });

  test('that ends on probation makes room for the one before, and stays afterwards', async () => {
    const { agent, using, text } = await start();
    const renamed = text.replace('respond', '# for the new one\n\trespond');
    const kill = () => {
      const [{ pid } = { pid: 0 }] = caddiesOf(agent.dataDir);
      process.kill(pid, 'SIGKILL');
      return until(() => caddiesOf(agent.dataDir).some((one) => one.pid !== pid));
    };
    expect((await using.exchange(next, renamed)).status).toBe(200);
    await inStep(agent);
    expect(agent.readProxyfile()).toBe(renamed);
    await kill();
    await until(async () => (await using.programs()).current?.sha256 === own);
    await inStep(agent);
    expect(agent.readProxyfile()).toBe(text);
    expect((await agent.status()).warnings).toContain(
      `Caddy ${versionOf(NEXT)} ended within a minute, so the previous program runs again.`,
    );
    expect(await using.programs()).toMatchObject({ previous: [], probation: null });

    await using.keep(readFileSync(NEXT));
    expect((await using.exchange(next, renamed)).status).toBe(200);
    await over(using);
    await kill();
    await inStep(agent);
    expect((await using.programs()).current?.sha256).toBe(next);
    expect(agent.readProxyfile()).toBe(renamed);
    expect((await agent.status()).warnings.join()).not.toContain('previous program');
  });
});

test.skipIf(!isRoot)('a program runs as Caddy’s own user, who may not change it', async () => {
  const { folder, home } = openFolder(0);
  agent = await startLoneAgent({
    DATA_DIR: join(home, 'data'),
    ACCESS_LOG: join(home, 'logs/a.log'),
  });
  const using = programsOf(agent);
  const text = agent.text([], siteOf('http://a.test'));
  expect((await agent.reload(text)).status).toBe(200);
  await using.keep(readFileSync(NEXT));
  expect((await using.exchange(next, text)).status).toBe(200);
  expect((await served(agent)).text).toBe('http://a.test');
  const dataDir = join(home, 'data');
  await until(() => caddiesOf(dataDir).length === 1);
  const [{ pid } = { pid: 0 }] = caddiesOf(dataDir);
  expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
  const file = join(dataDir, 'caddy/programs', next, 'caddy');
  for (const path of [file, dirname(file), dirname(dirname(file))]) {
    const { uid, mode } = statSync(path);
    expect([uid, mode & 0o777]).toEqual([0, 0o755]);
  }
  await agent.stop();
  rmSync(folder, { recursive: true, force: true });
  agent = undefined;
});

test('beside a Caddy that another program runs, nothing is exchanged', async () => {
  const port = freePort();
  const config = JSON.stringify({ admin: { listen: `localhost:${port}` } });
  const caddy = Bun.spawn(['caddy', 'run', '--config', '-'], {
    stdin: new Blob([config]),
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH ?? '', HOME: temporaryFolder() },
  });
  try {
    agent = await startLoneAgent({ PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${port}` });
    const using = programsOf(agent);
    expect(await using.programs()).toMatchObject({
      current: { sha256: own, version: versionOf(OWN), since: null },
      previous: [],
      probation: null,
      managed: false,
      unit: null,
    });
    expect((await agent.status()).proxy.managed).toBe(false);
    for (const refused of [
      await using.keep(readFileSync(NEXT)),
      await using.fetch('http://127.0.0.1:9/', next),
      await using.exchange(next, ''),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(refused.body.message).toContain('Another program runs Caddy');
    }
  } finally {
    caddy.kill();
    await caddy.exited;
  }
});

/** 200 requests each second, each on a connection of its own: to a site over HTTP, one over HTTPS, and one with an upstream. */
function startVisits({ httpPort, httpsPort }: LoneAgent) {
  const failed: string[] = [];
  const running = new Set<Promise<void>>();
  let [count, resets] = [0, 0];
  const insecure = { rejectUnauthorized: false, serverName: 'b.test' };
  async function visit(number: number): Promise<void> {
    const [host, base, answer] = (
      [
        ['a.test', `http://127.0.0.1:${httpPort}`, 'http://a.test'],
        ['b.test', `https://127.0.0.1:${httpsPort}`, 'b.test'],
        ['c.test', `http://127.0.0.1:${httpPort}`, 'of the upstream'],
      ] as const
    )[number % 3] ?? ['', '', ''];
    const send = () =>
      fetch(`${base}/${number}`, {
        headers: { Host: host, Connection: 'close' },
        keepalive: false,
        ...(host === 'b.test' && { tls: insecure }),
      });
    const response = await send().catch((error: { code?: string }) => {
      // At any load, Caddy may reset a connection that it has just accepted, see docs/limits.md.
      if (error.code !== 'ECONNRESET' && !(isOld && error.code === 'EPROTO')) throw error;
      resets++;
      return send();
    });
    if ((await response.text()) !== answer) throw new Error(`${host}: ${response.status}`);
  }
  const timer = setInterval(() => {
    const one = visit(count++)
      .catch((error) => void failed.push(String(error)))
      .finally(() => running.delete(one));
    running.add(one);
  }, 5);
  return {
    count: () => count,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      console.log(`${count} requests, ${resets} of them reset and sent again`);
      return { failed, resets };
    },
  };
}

/** Websockets that are opened again when they end. */
function startSockets(port: number, count: number) {
  let ended = 0;
  let isOver = false;
  const sockets = new Map<number, WebSocket>();
  function open(at: number): void {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${at}`, {
      headers: { Host: 'c.test' },
    } as never);
    sockets.set(at, socket);
    socket.addEventListener('close', () => {
      if (isOver) return;
      ended++;
      open(at);
    });
  }
  for (let at = 0; at < count; at++) open(at);
  return {
    async stop() {
      await until(() =>
        [...sockets.values()].every(({ readyState }) => readyState === WebSocket.OPEN),
      );
      let answered = 0;
      for (const socket of sockets.values()) {
        socket.addEventListener('message', () => answered++);
        socket.send('?');
      }
      await until(() => answered === count);
      isOver = true;
      for (const socket of sockets.values()) socket.close();
      return { ended, open: answered };
    },
  };
}
