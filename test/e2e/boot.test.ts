// proof: program
/** Starts after something has gone that a stored site needs: the others are served all the same. */
import { afterEach, expect, test } from 'bun:test';
import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePair } from '../harness/pair.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../harness/stack.ts';

type Status = {
  inStep: boolean;
  warnings: string[];
  broken: { id: number; domain: string; detail: string }[];
};

let stack: Stack;
let headers: Record<string, string>;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) clean();
  await stack.stop();
});

const status = async () => (await ask<Status>(`${stack.hub}/status`, { headers })).body;
const served = async (name: string) =>
  (await stack.served(`${name}.example`).catch(() => null))?.text;
const isServed = (name: string) =>
  until(async () => (await served(name)) === name, `${name}.example`);
const put = (id: number, json: object) =>
  ask<{ detail?: string }>(`${stack.hub}/vhosts/${id}`, { method: 'PUT', headers, json });

/** Stops everything, and returns what starts it again with the same data and ports. */
async function leave(): Promise<() => Promise<void>> {
  const folder = temporaryFolder();
  const filter = (path: string) => !path.endsWith('.sock');
  cpSync(stack.dataDir, join(folder, 'data'), { recursive: true, filter });
  const env = {
    PROXY_HTTP_PORT: String(stack.httpPort),
    PROXY_HTTPS_PORT: String(stack.httpsPort),
  };
  await stack.stop();
  return async () => {
    stack = await startStack(env, folder);
  };
}

/** Stores `sites`, and waits until all of them are live. */
async function store(sites: (of: Stack) => { domain: string; config: string }[]) {
  stack = await startStack();
  headers = (await signUp(stack)).headers;
  const operations = sites(stack).map((site) => ({ op: 'create', ...site }));
  const made = await ask(`${stack.hub}/vhosts/bulk`, { headers, json: { operations } });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
}

const plain =
  (name: string, more = '') =>
  (of: Stack) => ({
    domain: `http://${name}.example:${of.httpPort}`,
    config: `${more}respond ${name}`,
  });

test('a certificate file that is gone costs one site of 25, until it is back', async () => {
  const folder = temporaryFolder();
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const { certificate, key } = makePair(folder);
  await store((of) => [
    ...Array.from({ length: 24 }, (_, index) => plain(`s${index}`)(of)),
    {
      domain: `frail.example:${of.httpsPort}`,
      config: `tls ${certificate} ${key}\nrespond frail`,
    },
  ]);
  copyFileSync(key, `${key}.kept`);
  rmSync(key);
  await stack.restart();
  for (let index = 0; index < 24; index++) await isServed(`s${index}`);
  const named = await until(async () => {
    const now = await status();
    return now.inStep && now;
  });
  expect(named.broken).toEqual([
    {
      id: 25,
      domain: `frail.example:${stack.httpsPort}`,
      detail: expect.stringContaining('/pair.key: no such file') as never,
    },
  ]);
  expect((await put(1, { config: 'respond changed' })).status).toBe(200);
  expect(await served('s0')).toBe('changed');
  copyFileSync(`${key}.kept`, key);
  await until(async () => (await status()).broken.length === 0, 'nothing broken');
  const { port, host } = { port: stack.httpsPort, host: 'frail.example' };
  const answer = await fetch(`https://127.0.0.1:${port}/`, {
    headers: { Host: host },
    tls: { rejectUnauthorized: false, serverName: host },
    keepalive: false,
  });
  expect(await answer.text()).toBe('frail');
});

test('a port that another program holds costs the sites on it, until it is free', async () => {
  const other = freePort();
  await store((of) => [
    plain('here')(of),
    { domain: `http://there.example:${other}`, config: 'respond there' },
  ]);
  const start = await leave();
  const held = Bun.listen({ hostname: '0.0.0.0', port: other, socket: { data() {} } });
  cleanups.push(() => held.stop(true));
  await start();
  await isServed('here');
  const named = await until(async () => {
    const now = await status();
    return now.broken.length > 0 && now.inStep && now;
  });
  const [{ id, detail } = { id: 0, detail: '' }] = named.broken;
  expect([named.broken.length, id]).toEqual([1, 2]);
  expect(detail).toStartWith(`:${other} is not open: held by `);
  expect(detail).toEndWith(`(process ${process.pid})`);
  expect(named.inStep).toBe(true);
  expect(named.warnings.join()).toContain(`:${other} is not open`);
  const states = await ask<{ problem: string | null }[]>(`${stack.hub}/vhosts/state`, {
    headers,
  });
  expect(states.body.map(({ problem }) => problem === null)).toEqual([true, false]);
  expect((await put(1, { config: 'respond changed' })).status).toBe(200);
  held.stop(true);
  await until(async () => (await status()).broken.length === 0, 'nothing broken');
  const there = await fetch(`http://127.0.0.1:${other}/`, {
    headers: { Host: 'there.example' },
    keepalive: false,
  });
  expect(await there.text()).toBe('there');
  expect((await status()).warnings.join()).not.toContain('is not open');
});
