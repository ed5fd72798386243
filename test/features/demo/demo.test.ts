// proof: program
/** `signalbox demo` as it is started: everybody looks, nobody changes anything, and nothing is left behind. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES } from '../../../src/features.ts';
import { demandsOf } from '../../../src/hub/http/about.ts';
import { PAGES } from '../../../src/shared/pages.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import { registered } from '../../harness/routes.ts';
import { type Answer, ask, freePort, until } from '../../harness/stack.ts';

const folder = folderForFile();

/** @param name of the temporary folder */
function runDemo(name: string, args: string[] = [], env: Record<string, string> = {}) {
  const tmp = join(folder, name);
  mkdirSync(tmp, { recursive: true });
  const program = runProgram(['demo', '--port', '0', ...args], { TMPDIR: tmp, ...env }, folder);
  const left = () => readdirSync(tmp).map((one) => join(tmp, one));
  return { ...program, left };
}

/** The TCP ports that a process listens on (proc(5): state 0A is LISTEN). */
function portsOf(pid: number): number[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  const own = new Set(links);
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1, -1);
  const fields = rows.map((row) => row.trim().split(/\s+/));
  return fields.flatMap(([, local = '', , state, , , , , , inode]) =>
    state === '0A' && own.has(`socket:[${inode}]`)
      ? Number.parseInt(local.split(':')[1] ?? '', 16)
      : [],
  );
}

const running = runDemo('shared');
await forFile({ stop: () => end(running, 'SIGTERM') });
async function end({ child }: Pick<Program, 'child'>, signal: NodeJS.Signals) {
  child.kill(signal);
  return child.exited;
}

const routes = registered(join(folder, 'routes'));
const demands = demandsOf(routes);
const EXPLANATIONS = '/api/explanations';
const writing = routes.filter(({ method, path }) => method !== 'GET' && path !== EXPLANATIONS);
const pathOf = (path: string) => path.replace(/:\w+/g, '1').replace('*', 'x');

let url = '';
let api = '';
beforeAll(async () => {
  url = await running.address('demo');
  api = `${url}/api`;
});
const get = <T>(path: string, headers = {}): Promise<Answer<T>> => ask<T>(api + path, { headers });

describe('another hub', () => {
  test('has no part of it', () => {
    const feature = FEATURES.find(({ name }) => name === 'demo');
    expect(Object.keys(feature ?? {}).toSorted()).toEqual(['commands', 'name', 'needs']);
  });

  test('on the folder of a demo answers nobody without a session', async () => {
    const [home = ''] = running.left();
    const copy = join(folder, 'copy');
    const own = join(home, 'caddy');
    const filter = (path: string) => path !== own && !path.endsWith('.sock');
    // Nothing is written or removed while it is copied.
    running.child.kill('SIGSTOP');
    cpSync(home, copy, { recursive: true, filter });
    running.child.kill('SIGCONT');
    const env = { DATA_DIR: copy, HUB_PORT: '0', AGENT_PORT: '0', HUB_HOST: '127.0.0.1' };
    // All of them have routes, also where these tests run without one.
    const SIGNALBOX_FEATURES = FEATURES.map(({ name }) => name).join(',');
    const program = runProgram([], { ...env, SIGNALBOX_FEATURES }, folder);
    try {
      const hub = await program.address('hub');
      const guarded = routes.filter(
        ({ method, path }) => method === 'GET' && demands.get(`GET ${path}`)?.needs,
      );
      expect(guarded.length).toBeGreaterThan(30);
      for (const { path } of guarded) {
        expect([path, (await ask(hub + pathOf(path))).status]).toEqual([path, 401]);
      }
    } finally {
      await end(program, 'SIGTERM');
    }
  });
});

describe('nobody', () => {
  const DEMO = { code: 'DEMO', message: expect.stringContaining('nobody can change anything') };

  test.each([
    ['as a browser', {}],
    ['as another site’s page', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['with another host', { Host: 'evil.example' }],
    ['with a token', { Authorization: `Bearer ${'A'.repeat(43)}` }],
    ['in disguise', { 'X-HTTP-Method-Override': 'GET', 'X-Forwarded-Host': 'localhost' }],
  ])('changes anything, %s', async (_, headers) => {
    expect(writing.length).toBeGreaterThan(50);
    const before = await get('/changelog');
    for (const { method, path } of writing) {
      const answer = await ask(url + pathOf(path), { method, json: {}, headers });
      expect([path, answer.status, answer.body]).toEqual([path, 405, DEMO]);
    }
    expect((await get('/changelog')).body).toEqual(before.body);
  });

  test('changes anything by an unusual path or method', async () => {
    for (const path of [
      '/api//vhosts',
      '/api/vhosts/',
      '/API/vhosts',
      '/api/explanations/../vhosts',
    ]) {
      expect((await ask(url + path, { method: 'POST', json: {} })).status).toBe(405);
    }
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'TRACE']) {
      const answer = await fetch(`${api}/explanations`, { method }).catch(() => null);
      expect(answer === null || answer.status >= 400).toBe(true);
    }
  });

  test('is more than a viewer', async () => {
    const forOthers = routes.filter(({ method, path }) => {
      const { needs = 'viewer' } = demands.get(`GET ${path}`) ?? {};
      return method === 'GET' && needs !== 'viewer';
    });
    expect(forOthers.length).toBeGreaterThan(10);
    for (const { path } of forOthers) {
      const answer = await ask<{ code: string }>(url + pathOf(path));
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'FORBIDDEN_ROLE']);
    }
    expect((await ask(`${url}/metrics`)).status).toBe(401);
  });

  test('gets behind the door, even with the token of its session', async () => {
    const { token } = (await get<{ session: { token: string } }>('/auth/get-session')).body.session;
    const behind = portsOf(running.child.pid).filter((port) => !url.endsWith(`:${port}`));
    expect(behind.length).toBeGreaterThan(1);
    for (const port of behind) {
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, new URL(url).host]) {
        const headers = { Host: host, Authorization: `Bearer ${token}` };
        const answer = await ask(`http://127.0.0.1:${port}/api/vhosts`, { headers }).catch(
          () => null,
        );
        expect(answer?.text ?? '').not.toContain('home.example');
      }
    }
  });
});

describe('everybody', () => {
  test('is a viewer, whatever they call themselves', async () => {
    const forged = {
      Cookie: 'signalbox_session=x',
      Authorization: 'Bearer x',
      Host: 'evil.example',
    };
    for (const headers of [{}, forged]) {
      const { body } = await get<{ user: object }>('/auth/get-session', headers);
      expect(body.user).toMatchObject({ name: 'Visitor', role: 'viewer' });
    }
  });

  test('sees all pages, as the hub sends them', async () => {
    for (const [path] of PAGES) {
      const page = await ask(url + path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain('data-door="closed"');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec((await ask(url)).text) ?? [];
    const headers = { 'Accept-Encoding': 'gzip' };
    const packed = await fetch(url + script, { headers, decompress: false });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(Bun.gunzipSync(await packed.arrayBuffer()).length).toBeGreaterThan(10_000);
  });

  test('polls the states with what it has seen', async () => {
    await until(async () => {
      const tag = (await get('/vhosts/state')).headers.get('etag') ?? '';
      return (await get('/vhosts/state', { 'If-None-Match': tag })).status === 304;
    }, 'states that are the same');
  });

  test('follows the log', async () => {
    const abort = new AbortController();
    const { body } = await fetch(`${api}/logs/tail`, { signal: abort.signal });
    const reader = body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain('retry:');
    abort.abort();
  });

  test('sees sites, problems, a week of visits, and who changed what', async () => {
    type Site = { domain: string; enabled: boolean };
    const sites = (await get<Site[]>('/vhosts')).body;
    expect(sites.length).toBe(24);
    expect(sites.filter(({ enabled }) => !enabled).map(({ domain }) => domain)).toEqual([
      'map.home.example',
    ]);
    type Problems = { problems: { code: string; vhost?: { domain: string } }[] };
    await until(async () => {
      const { problems } = (await get<Problems>('/status')).body;
      const has = (code: string, domain: string) =>
        problems.some((one) => one.code === code && one.vhost?.domain === domain);
      return (
        has('UPSTREAM_DOWN', 'printer.home.example') && has('CHECK_FAILING', 'tv.home.example')
      );
    }, 'the problems');

    type Entry = { userName: string; createdAt: string };
    const entries = (await get<Entry[]>('/changelog')).body;
    expect(entries.length).toBeGreaterThan(40);
    expect(new Set(entries.map(({ userName }) => userName))).toEqual(
      new Set(['Ada', 'Ben', 'Chloe']),
    );
    const times = entries.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect((times[0] ?? 0) - (times.at(-1) ?? 0)).toBeGreaterThan(6 * 24 * 3_600_000);

    // On a busy machine the first answers are of what was read by then.
    await until(async () => {
      const log = await get<{ total: number }>('/logs?pageSize=1');
      return log.body.total > 20_000;
    }, 'the log of a week');
    const uptime = (await get<{ month: { share: number } }[]>('/vhosts/uptime')).body;
    expect(uptime.length).toBe(11);
  });

  test('gets an explanation', async () => {
    type Site = { id: number; domain: string };
    const sites = (await get<Site[]>('/vhosts')).body;
    const vhost = sites.find(({ domain }) => domain === 'printer.home.example')?.id;
    const answer = await ask<{ cause: string }>(`${api}/explanations`, {
      json: { vhost, path: '/' },
      headers: { Origin: url, 'Sec-Fetch-Site': 'same-origin' },
    });
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining('UPSTREAM_REFUSED'),
    ]);
  });
});

describe('the command', () => {
  test.each([
    [['--port', 'x'], {}, '--port must be a port'],
    [['--port', '65536'], {}, '--port must be a port'],
    [['--host', '192.0.2.1'], {}, '--host: 192.0.2.1 is not an address of this machine'],
    [[], { PROXY_BIN: '/nowhere/caddy' }, 'PROXY_BIN names a program that was not found'],
  ])('refuses %j with %j', async (args, env, reason) => {
    const program = runProgram(['demo', ...args], { TMPDIR: folder, ...env }, folder);
    const { code, err } = await program.exited();
    expect([code, err]).toEqual([1, expect.stringContaining(`cannot start the demo: ${reason}`)]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'leaves nothing behind after %s',
    async (signal) => {
      const demo = runDemo(signal, [], { HUB_HOST: '0.0.0.0', DATA_DIR: join(folder, 'unused') });
      const address = await demo.address('demo');
      expect(new URL(address).hostname).toBe('127.0.0.1');
      const [home = ''] = demo.left();
      expect(caddiesOf(home)).toHaveLength(1);
      // Somebody is looking.
      await fetch(`${address}/api/logs/tail`);
      expect(await end(demo, signal)).toBe(signal === 'SIGKILL' ? 137 : 0);
      await until(() => demo.left().length === 0, 'the folder to be gone');
      await until(() => caddiesOf(home).length === 0, 'its Caddy to end');
      expect(readdirSync(folder)).not.toContain('unused');
    },
  );

  test('leaves nothing behind if it is killed while it starts', async () => {
    const demo = runDemo('starting');
    const [home = ''] = await until(() => demo.left().length > 0 && demo.left(), 'the folder');
    await until(() => caddiesOf(home).length > 0, 'a Caddy');
    await end(demo, 'SIGKILL');
    await until(() => demo.left().length === 0, 'the folder to be gone');
    await until(() => caddiesOf(home).length === 0, 'its Caddy to end');
  });

  test('tells whose port is taken, and leaves nothing behind', async () => {
    const port = String(freePort());
    const held = Bun.listen({
      hostname: '127.0.0.1',
      port: Number(port),
      exclusive: true,
      socket: { data() {} },
    });
    const tmp = join(folder, 'taken');
    mkdirSync(tmp);
    const program = runProgram(['demo', '--port', port], { TMPDIR: tmp }, folder);
    const { code, err } = await program.exited();
    held.stop(true);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`--port: port ${port} on 127.0.0.1 is taken`),
    ]);
    expect(readdirSync(tmp)).toEqual([]);
  });
});
