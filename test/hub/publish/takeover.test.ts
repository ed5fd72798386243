import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../../src/program/config.ts';
import type { Running } from '../../../src/program/listen.ts';
import { serveAgent, serveHub } from '../../../src/program/serve/serve.ts';
import { createLog } from '../../../src/shared/log.ts';
import { countListeners } from '../../harness/listeners.ts';
import { ask, freePort, machine, signUp, temporaryFolder, until } from '../../harness/stack.ts';

/** A Caddy that somebody else runs, with a Caddyfile of their own, and hub and agent beside it. */
let home: string;
let caddy: Bun.Subprocess;
let agent: Running;
let hub: Running;
let headers: Record<string, string>;
let file: string;
let ports: { admin: number; http: number };
const TOKEN = 'takeover'.repeat(4);

const theirs = () => `http://theirs.example:${ports.http} {\n\trespond theirs\n}\n`;
const served = async (host: string) =>
  (await ask(`http://127.0.0.1:${ports.http}/`, { headers: { Host: host } })).text;
const create = (query = '', config = 'respond ours') =>
  ask<{ code?: string; id: number }>(`${hub.url}/api/vhosts${query}`, {
    json: { domain: `http://ours.example:${ports.http}`, config },
    headers,
  });
type Status = { inStep: boolean; foreign: boolean; drift: boolean; lastPublish: object | null };
const status = async () => (await ask<Status>(`${hub.url}/api/status`, { headers })).body;
const names = () => readdirSync(home).filter((name) => name.startsWith('Caddyfile'));

async function startCaddy(): Promise<void> {
  // Their Caddy would start with the standard endpoint, and 2.6.2 knows no CADDY_ADMIN.
  const start = join(home, 'start');
  writeFileSync(start, `{\n\tadmin localhost:${ports.admin}\n}\nimport ${file}\n`);
  caddy = Bun.spawn(['caddy', 'run', '--config', start, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', Bun.file(join(home, 'caddy.out')), Bun.file(join(home, 'caddy.out'))],
  });
  await until(() =>
    fetch(`http://localhost:${ports.admin}/config/`).then(
      () => true,
      () => false,
    ),
  );
}

beforeEach(async () => {
  home = temporaryFolder();
  file = join(home, 'Caddyfile');
  ports = { admin: freePort(), http: freePort() };
  writeFileSync(file, theirs());
  await startCaddy();
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(home, 'data'),
    AGENT_TOKEN: TOKEN,
    AGENT_PORT: '0',
    HUB_PORT: '0',
    PROXYFILE: file,
    PROXY_ADMIN: `localhost:${ports.admin}`,
    ACCESS_LOG: join(home, 'access.log'),
  };
  const log = createLog(
    () => {},
    () => new Date(),
  );
  agent = await serveAgent(readSettings('agent', env, machine).agent, TOKEN, log);
  hub = await serveHub(
    { ...readSettings('hub', env, machine).hub, agentUrl: agent.url },
    TOKEN,
    log,
  );
  headers = (await signUp({ hub: `${hub.url}/api` })).headers;
});

afterEach(async () => {
  await hub.stop();
  await agent.stop();
  caddy.kill('SIGKILL');
  await caddy.exited;
  rmSync(home, { recursive: true, force: true });
});

describe('a proxy with sites of somebody else', () => {
  test('is not touched: the first change is 409 IMPORT_FIRST', async () => {
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect((await ask(`${hub.url}/api/vhosts`, { headers })).text).toBe('[]');
    expect((await ask(`${hub.url}/api/changelog`, { headers })).text).toBe('[]');
    expect(readFileSync(file, 'utf8')).toBe(theirs());
    expect(names()).toEqual(['Caddyfile']);
    expect(await served('theirs.example')).toBe('theirs');
    expect(await status()).toMatchObject({ foreign: true, inStep: false, lastPublish: null });
  });

  test('is taken over with ?replace=true, and their file kept beside ours', async () => {
    expect((await create('?replace=perhaps')).status).toBe(400);
    const refused = await create('?replace=true', 'respnd x');
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(await served('theirs.example')).toBe('theirs');
    expect((await create()).body.code).toBe('IMPORT_FIRST');

    expect((await create('?replace=true')).status).toBe(201);
    expect(await served('ours.example')).toBe('ours');
    expect(await served('theirs.example')).toBe('');
    expect(readFileSync(join(home, 'Caddyfile.before-signalbox'), 'utf8')).toBe(theirs());
    expect(await status()).toMatchObject({ foreign: false, inStep: true, drift: false });
  });
});

describe('after the first publish', () => {
  beforeEach(async () => {
    expect((await create('?replace=true')).status).toBe(201);
  });

  test('a text pushed straight to the agent lives until the next look', async () => {
    const pushed = await ask(`${agent.url}/proxy/reload`, {
      json: { proxyfile: `http://ours.example:${ports.http} {\nrespond pushed\n}\n` },
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect(pushed.status).toBe(200);
    await until(async () => (await served('ours.example')) === 'ours', 'ours again', 5_000);
    await until(async () => (await status()).inStep, 'in step', 5_000);
  });

  test('a Caddy that somebody else restarts is put back in step, access log included', async () => {
    caddy.kill('SIGKILL');
    await caddy.exited;
    await startCaddy();
    await until(async () => (await status()).inStep, 'in step', 5_000);
    expect(countListeners(ports.http)).toBe(1);
    const before = await logged();
    expect(await served('ours.example')).toBe('ours');
    await until(async () => (await logged()) === before + 1, 'one more line in the log');
  });

  const logged = async () =>
    (await ask<{ total: number }>(`${hub.url}/api/logs?domain=ours.example`, { headers })).body
      .total;

  test('a file that somebody edits is drift: told, kept, not fought over', async () => {
    const { id } = (await ask<{ id: number }[]>(`${hub.url}/api/vhosts`, { headers })).body[0] ?? {
      id: 0,
    };
    writeFileSync(file, '# mine now\n');
    expect(await status()).toMatchObject({
      drift: true,
      inStep: true,
      warnings: expect.arrayContaining([expect.stringContaining('caddy reload')]),
    });
    await Bun.sleep(2_500);
    expect(readFileSync(file, 'utf8')).toBe('# mine now\n');
    const put = await ask(`${hub.url}/api/vhosts/${id}`, {
      method: 'PUT',
      json: { config: 'respond new' },
      headers,
    });
    expect(put.status).toBe(200);
    expect(await status()).toMatchObject({ drift: false, inStep: true });
    expect(JSON.stringify(await status())).not.toContain('caddy reload');
    const copy = names().find((name) => name.startsWith('Caddyfile.changed-'));
    expect(readFileSync(join(home, copy ?? 'none'), 'utf8')).toBe('# mine now\n');
    expect(readFileSync(join(home, 'Caddyfile.before-signalbox'), 'utf8')).toBe(theirs());
  });
});
