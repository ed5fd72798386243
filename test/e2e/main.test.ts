/** The program as a process: start-up, settings, signals, exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../harness/caddys.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, signUp, temporaryFolder, until } from '../harness/stack.ts';

const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const httpPort = freePort();

const run = (args: string[], env: Record<string, string> = {}, cwd = folder) =>
  runProgram(args, env, cwd);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the command line', () => {
  test('exits with 2 and the reason on stderr if the arguments are wrong', async () => {
    const unknown = await run(['serve']).exited();
    expect([unknown.code, unknown.out]).toEqual([2, '']);
    expect(unknown.err).toBe('signalbox: unknown command: serve; see signalbox --help\n');
    const surplus = await run(['hub', 'x']).exited();
    expect([surplus.code, surplus.out]).toEqual([2, '']);
    expect(surplus.err).toContain('Usage: signalbox hub\n');
  });

  test('names every wrong setting in one message, and no secret', async () => {
    const { code, out, err } = await run(['agent'], {
      AGENT_TOKEN: 'shortsecret',
      PROXY_BIN: 'no-such-caddy',
      PROXY_MANAGED: 'perhaps',
    }).exited();
    expect([code, out]).toEqual([1, '']);
    for (const name of ['AGENT_TOKEN', 'PROXY_BIN', 'PROXY_MANAGED']) {
      expect(err).toContain(`  ${name} `);
    }
    expect(err).toContain('sudo apt-get install caddy');
    expect(err).not.toContain('shortsecret');
    expect((await run(['hub']).exited()).err).toContain('  AGENT_TOKEN ');
  });
});

describe('the one-machine mode', () => {
  let program: Program;
  let hub: string;
  let agent: string;

  beforeAll(async () => {
    // Settings may come from a .env file in the working folder.
    writeFileSync(
      join(folder, '.env'),
      `HUB_PORT=0\nAGENT_PORT=0\nPROXY_HTTP_PORT=${httpPort}\nPROXY_HTTPS_PORT=${freePort()}\n`,
    );
    program = run([]);
    hub = await program.address('hub');
    agent = await program.address('agent');
  });
  afterAll(() => {
    program.child.kill('SIGKILL');
    for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
  });

  test('serves a site with the first request after it was created', async () => {
    await until(() => program.output.out.includes('/api/auth/sign-up/email'), 'the welcome');
    const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
    const { headers } = await signUp({ hub: `${hub}/api` });
    const made = await ask<{ id: number }>(`${hub}/api/vhosts`, {
      json: {
        domain: 'http://app.example',
        config: 'reverse_proxy {upstream}',
        upstream: `127.0.0.1:${upstream.port}`,
      },
      headers,
    });
    expect(made.status).toBe(201);
    const url = `http://127.0.0.1:${httpPort}/hello?x=1`;
    const served = await ask(url, { headers: { Host: 'app.example' } });
    expect([served.status, served.text]).toEqual([200, 'up']);

    const broken = await ask<{ code: string }>(`${hub}/api/vhosts/${made.body.id}`, {
      method: 'PUT',
      json: { config: 'reverse_proxi {upstream}' },
      headers,
    });
    expect([broken.status, broken.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect((await ask(url, { headers: { Host: 'app.example' } })).text).toBe('up');

    const logs = await until(async () => {
      const answer = await ask<{ total: number; logs: object[] }>(
        `${hub}/api/logs?domain=app.example&status=200`,
        { headers },
      );
      return answer.body.total === 2 && answer.body;
    });
    expect(logs.logs[0]).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      domain: 'app.example',
      method: 'GET',
      path: '/hello',
      status: 200,
      latency: expect.stringMatching(/^\d+(\.\d{1,3})?ms$/),
      ip: '127.0.0.1',
    });
    const log = await ask<{ action: string }[]>(`${hub}/api/changelog`, { headers });
    expect(log.body.map((entry) => entry.action)).toEqual(['create']);
    await upstream.stop(true);
  });

  test('reports its health by exit code', async () => {
    const port = (url: string) => new URL(url).port;
    const env = { HUB_PORT: port(hub), AGENT_PORT: port(agent) };
    expect((await run(['health'], env).exited()).code).toBe(0);
    expect((await run(['health', 'agent'], env).exited()).code).toBe(0);
    // By its data folder, as `signalbox status` finds it.
    expect((await run(['health'], { DATA_DIR: dataDir, HUB_PORT: '' }).exited()).code).toBe(0);
    expect((await run(['health', 'hub'], { HUB_PORT: String(freePort()) }).exited()).code).toBe(1);
  });

  test('refuses to start if the data folder is in use', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const env = { DATA_DIR: dataDir, AGENT_TOKEN: 'x'.repeat(32), HUB_PORT: '0' };
    const { code, err } = await run(['hub'], env, other).exited();
    expect(code).toBe(1);
    expect(err).toContain('another hub is using the data folder');
    expect((await ask(`${hub}/api/health`)).status).toBe(200);
  });

  test('stops cleanly on SIGTERM, with exit code 0', async () => {
    program.child.kill('SIGTERM');
    expect((await program.exited()).code).toBe(0);
    expect(caddiesOf(dataDir)).toEqual([]);
    expect(ask(`${hub}/api/health`)).rejects.toThrow();
  });
});

test('separate hub and agent work with a shared token, and stop on SIGINT', async () => {
  const home = temporaryFolder();
  const common = { DATA_DIR: join(home, 'data'), AGENT_TOKEN: 't'.repeat(32) };
  const agent = run(['agent'], {
    ...common,
    AGENT_PORT: '0',
    PROXY_MANAGED: 'true',
    PROXYFILE: join(home, 'Caddyfile'),
    ACCESS_LOG: join(home, 'access.log'),
  });
  const hub = run(['hub'], {
    ...common,
    HUB_PORT: '0',
    AGENT_URL: `${await agent.address('agent')}/`,
  });
  const url = await hub.address('hub');
  const { headers } = await signUp({ hub: `${url}/api` });
  const port = freePort();
  const made = await ask(`${url}/api/vhosts`, {
    json: { domain: `http://a.example:${port}`, config: 'respond apart' },
    headers,
  });
  expect(made.status).toBe(201);
  const served = await ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'a.example' } });
  expect(served.text).toBe('apart');
  for (const program of [hub, agent]) {
    program.child.kill('SIGINT');
    expect((await program.exited()).code).toBe(0);
  }
  rmSync(home, { recursive: true, force: true });
});
