// proof: caddys
/** Another program of Caddy at PROXY_BIN, and the change to it while visitors come. */
import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from '../../../agent/caddy/reload/proxyfile.ts';
import { caddiesOf, versionOf } from '../../harness/caddys.ts';
import { some } from '../../harness/full.ts';
import { type LoneAgent, siteOf, startLoneAgent } from '../../harness/lone-agent.ts';
import {
  anotherCaddy,
  badCaddy,
  OWN,
  place,
  programsOf,
  startWithPrograms,
  sumOf,
} from '../../harness/programs.ts';
import { limit } from '../../harness/speed.ts';
import { ask, freePort, temporaryFolder, until } from '../../harness/stack.ts';
import { isRoot, openFolder } from '../../harness/unprivileged.ts';

const NEXT = anotherCaddy();
const [own, next] = [OWN, NEXT].map((file) => sumOf(readFileSync(file))) as [string, string];
const RESTARTS = some(2, 20, 'RESTARTS');
/** Milliseconds in which connections may be refused. */
const MOST_REFUSED_MS = 300;

let agent: LoneAgent | undefined;
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

async function start(sites = siteOf('http://a.test')) {
  const all = await startWithPrograms();
  agent = all.agent;
  const text = all.agent.text([], sites);
  expect((await all.agent.reload(text)).status).toBe(200);
  return { ...all, text };
}

/** Waits until one Caddy runs, and serves what is on disk. */
async function inStep(of: LoneAgent): Promise<void> {
  await until(() => caddiesOf(of.dataDir).length === 1);
  await until(async () => (await of.status()).liveDigest === digestOf(of.readProxyfile()));
  const url = `http://127.0.0.1:${of.httpPort}/`;
  const served = () => ask(url, { headers: { Host: 'a.test' } }).catch(() => null);
  await until(async () => (await served())?.text === 'http://a.test', 'the site');
}

/** Kills Caddy, and waits until another one runs. */
async function killCaddy(of: LoneAgent): Promise<void> {
  const killed = pidOf(of);
  process.kill(killed, 'SIGKILL');
  await until(() => ![0, killed].includes(pidOf(of)), 'another Caddy');
}

/** Caddy signs a certificate in its own time. */
const certified = (of: LoneAgent) =>
  until(async () => (await of.presented('b.test')) === 'Caddy', 'the certificate');

const pidOf = (of: LoneAgent): number => caddiesOf(of.dataDir)[0]?.pid ?? 0;

test('one that an upgrade puts there is tried and shown, runs after a restart, and is gone back from', async () => {
  const sites = siteOf('http://a.test') + siteOf('b.test', 'tls internal');
  const { agent, text, ...all } = await start(sites);
  expect((await all.programs()).next).toBeNull();
  const pid = pidOf(agent);
  all.place(NEXT);
  expect(await all.tried()).toMatchObject({ sha256: next, version: versionOf(NEXT), differs: [] });
  const before = await all.programs();
  expect(before.current).toMatchObject({ sha256: own, version: versionOf(OWN) });
  expect([pidOf(agent), all.kept()]).toEqual([pid, own]);
  expect((await all.restart()).body).toMatchObject({
    current: { sha256: next, version: versionOf(NEXT), since: expect.any(String) },
    next: null,
    managed: true,
  });
  await inStep(agent);
  await certified(agent);
  expect((await agent.status()).proxy.version).toBe(versionOf(NEXT));
  expect(agent.readProxyfile()).toBe(text);
  await until(() => all.kept() === next, 'that it is kept');

  all.place(OWN);
  expect((await all.restart()).body).toMatchObject({ current: { sha256: own }, next: null });
  await inStep(agent);
});

test('without another one, Caddy is only restarted', async () => {
  const { agent, restart } = await start();
  const pid = pidOf(agent);
  expect((await restart()).body).toMatchObject({ current: { sha256: own }, next: null });
  await inStep(agent);
  expect(pidOf(agent)).not.toBe(pid);
});

test('one that is there when the agent starts is tried first, and then runs by itself', async () => {
  const { agent, text, ...all } = await start();
  await until(() => all.kept() === own, 'that it is kept');
  await agent.restart(() => all.place(NEXT));
  expect((await all.programs()).current?.sha256).toBe(own);
  await inStep(agent);
  await until(async () => (await all.programs()).current?.sha256 === next, 'the other one');
  await inStep(agent);
  expect((await agent.status()).warnings.join()).not.toContain('PROXY_BIN');

  await agent.restart(() => all.place(badCaddy(dirname(agent.dataDir), 'answers errors')));
  const { differs } = await all.tried();
  expect(differs.join()).toMatch(/a\.test: .* gets 502 instead of 200/);
  expect((await all.programs()).current?.sha256).toBe(own);
  await inStep(agent);
  expect((await agent.status()).warnings.join()).toMatch(
    /The program at PROXY_BIN \(Caddy 2\.11\.99\) is not used, and the one before runs: a\.test: /,
  );
  all.place(OWN);
  await until(async () => !(await agent.status()).warnings.join().includes('PROXY_BIN'));
});

test('a Caddy that outlived its agent is adopted, whatever is at PROXY_BIN by then', async () => {
  const all = await startWithPrograms(true);
  agent = all.agent;
  expect((await agent.reload(agent.text([], siteOf('http://a.test')))).status).toBe(200);
  await until(() => all.kept() === own, 'that it is kept');
  all.place(NEXT);
  await all.tried();
  expect((await all.restart()).body.current?.sha256).toBe(next);
  const pid = pidOf(agent);
  await agent.kill();
  await inStep(agent);
  expect(pidOf(agent)).toBe(pid);
  expect((await all.programs()).current?.sha256).toBe(next);
});

test('one that ends within a minute makes room for the one before', async () => {
  const { agent, text, ...all } = await start();
  all.place(NEXT);
  expect((await all.restart()).status).toBe(200);
  await inStep(agent);
  await killCaddy(agent);
  await until(async () => (await all.programs()).current?.sha256 === own);
  await inStep(agent);
  expect((await all.tried()).differs).toEqual(['It ended within a minute']);
  expect((await agent.status()).warnings.join()).toContain('It ended within a minute');
  expect(agent.readProxyfile()).toBe(text);

  expect((await all.restart()).status).toBe(200);
  expect((await agent.status()).warnings.join()).not.toContain('PROXY_BIN');
  await until(() => all.kept() === next, 'that it is kept');
  await killCaddy(agent);
  await inStep(agent);
  expect((await all.programs()).current?.sha256).toBe(next);
});

test('if the one that runs cannot be kept, it goes on', async () => {
  const { agent, ...all } = await start();
  const pid = pidOf(agent);
  // As on a full disk.
  mkdirSync(join(agent.dataDir, 'caddy/programs/part'), { recursive: true });
  all.place(NEXT);
  const refused = await all.restart();
  expect(refused).toMatchObject({ status: 507, body: { code: 'STORAGE_UNAVAILABLE' } });
  expect(JSON.stringify(refused.body)).not.toContain(agent.folder);
  await inStep(agent);
  expect(pidOf(agent)).toBe(pid);
});

test(
  `${RESTARTS} times, no answer is wrong, and connections are refused for no longer than ${MOST_REFUSED_MS} ms`,
  async () => {
    const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('c') });
    const sites =
      siteOf('http://a.test') +
      siteOf('b.test', 'tls internal') +
      `http://c.test {\n\treverse_proxy 127.0.0.1:${upstream.port}\n}\n`;
    const { agent, ...all } = await start(sites);
    await certified(agent);
    const visits = startVisits(agent);
    for (let done = 0; done < RESTARTS; done++) {
      const [file, sum] = done % 2 === 0 ? [NEXT, next] : [OWN, own];
      all.place(file);
      expect((await all.restart()).body).toMatchObject({ current: { sha256: sum } });
      // A quick change-over sees few visitors; some come after each.
      await until(() => visits.count() > 50 * (done + 1), 'visitors');
    }
    const { wrong, longest } = await visits.stop();
    expect(wrong).toEqual([]);
    expect(longest).toBeLessThan(limit(MOST_REFUSED_MS));
    await upstream.stop(true);
    await inStep(agent);
  },
  limit(600_000),
);

test.skipIf(!isRoot)('a kept program runs as Caddy’s own user, who may not change it', async () => {
  const { folder, home } = openFolder(0);
  const bin = join(home, 'caddy');
  place(bin, OWN);
  agent = await startLoneAgent({
    DATA_DIR: join(home, 'data'),
    ACCESS_LOG: join(home, 'logs/a.log'),
    PROXY_BIN: bin,
  });
  const dataDir = join(home, 'data');
  expect((await agent.reload(agent.text([], siteOf('http://a.test')))).status).toBe(200);
  const file = join(dataDir, 'caddy/programs', `caddy-${own}`);
  await until(() => statSync(file, { throwIfNoEntry: false }), 'the copy');
  await agent.restart(() => place(bin, badCaddy(home, 'is another program')));
  await until(() => caddiesOf(dataDir).length === 1);
  const [{ pid } = { pid: 0 }] = caddiesOf(dataDir);
  expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
  expect(sumOf(readFileSync(`/proc/${pid}/exe`))).toBe(own);
  for (const path of [file, dirname(file)]) {
    const { uid, mode } = statSync(path);
    expect([uid, mode & 0o777]).toEqual([0, 0o755]);
  }
  await agent.stop();
  rmSync(folder, { recursive: true, force: true });
  agent = undefined;
});

test('beside a Caddy that another program runs, nothing is restarted', async () => {
  const port = freePort();
  const config = JSON.stringify({ admin: { listen: `localhost:${port}` } });
  const caddy = Bun.spawn(['caddy', 'run', '--config', '-'], {
    stdin: new Blob([config]),
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH ?? '', HOME: temporaryFolder() },
  });
  try {
    const isUp = () =>
      fetch(`http://localhost:${port}/config/`).then(
        () => true,
        () => false,
      );
    await until(isUp, 'Caddy');
    agent = await startLoneAgent({ PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${port}` });
    const using = programsOf(agent);
    expect(await using.programs()).toMatchObject({
      current: { sha256: own, version: versionOf(OWN), since: null },
      next: null,
      managed: false,
      unit: null,
    });
    const refused = await using.restart();
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(refused.body.message).toContain('Another program runs Caddy');
    expect(caddy.exitCode).toBeNull();
  } finally {
    caddy.kill();
    await caddy.exited;
  }
});

/** 100 requests each second, each on a connection of its own: to a site over HTTP, one over HTTPS, and one with an upstream. */
function startVisits({ httpPort, httpsPort }: LoneAgent) {
  const wrong: string[] = [];
  const failed: number[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;
  const SITES = [
    { host: 'a.test', base: `http://127.0.0.1:${httpPort}`, answer: 'http://a.test' },
    { host: 'b.test', base: `https://127.0.0.1:${httpsPort}`, answer: 'b.test' },
    { host: 'c.test', base: `http://127.0.0.1:${httpPort}`, answer: 'c' },
  ];
  async function visit(number: number): Promise<void> {
    const { host, base, answer } = SITES[number % SITES.length] ?? { host: '', base: '' };
    const began = performance.now();
    const response = await fetch(`${base}/${number}`, {
      headers: { Host: host, Connection: 'close' },
      keepalive: false,
      ...(host === 'b.test' && { tls: { rejectUnauthorized: false, serverName: host } }),
    }).catch(() => null);
    if (response === null) failed.push(began);
    else if ((await response.text()) !== answer) wrong.push(`${host}: ${response.status}`);
  }
  const timer = setInterval(() => {
    const one = visit(count++)
      .catch((error) => void wrong.push(String(error)))
      .finally(() => running.delete(one));
    running.add(one);
  }, 10);
  return {
    count: () => count,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      const gaps = gapsIn(failed.toSorted((a, b) => a - b));
      console.log(`${count} requests, ${failed.length} failed, in gaps of ${gaps.join(', ')} ms`);
      return { wrong, longest: Math.max(0, ...gaps) };
    },
  };
}

/** How long requests failed each time: from the first of them to the last. */
function gapsIn(times: readonly number[]): number[] {
  const gaps: number[] = [];
  let [from, to] = [times[0] ?? 0, times[0] ?? 0];
  for (const time of times) {
    if (time - to > 400) {
      gaps.push(Math.round(to - from));
      from = time;
    }
    to = time;
  }
  return times.length === 0 ? gaps : [...gaps, Math.round(to - from)];
}
