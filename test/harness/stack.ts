/** Hub, agent and a real Caddy in a temporary folder, all on loopback, in this process. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/hub/db/open.ts';
import { createStore } from '../../src/hub/model/store.ts';
import { readSettings, type Settings } from '../../src/program/config.ts';
import { enabledFeatures } from '../../src/program/enabled.ts';
import { serveAll } from '../../src/program/serve/all.ts';
import type { Log } from '../../src/shared/log.ts';
import { createLog } from '../../src/shared/log.ts';
import { logContext } from '../../src/shared/observe/requests.ts';
import { countListeners } from './listeners.ts';
import { USUAL } from './pace.ts';
import { limit } from './speed.ts';

export type Answer<T = unknown> = { status: number; body: T; headers: Headers; text: string };

export type Stack = {
  folder: string;
  dataDir: string;
  /** The proxy's ports. */
  httpPort: number;
  httpsPort: number;
  settings: Settings;
  /** The lines of the program's own log. */
  lines: readonly string[];
  proxyfile: string;
  accessLog: string;
  /** The base URL of the hub's API, and of the agent's; both change with a restart. */
  readonly hub: string;
  readonly agent: string;
  /** The agent's token, and the headers that carry it. */
  token: string;
  agentHeaders: { Authorization: string };
  /** Asks the agent for something, as its hub does. */
  askAgent<T>(path: string, json?: unknown): Promise<Answer<T>>;
  readProxyfile(): string;
  /** Sends a request through the proxy. */
  served(host: string, path?: string): Promise<Answer>;
  /** @param meanwhile runs while everything is stopped */
  restart(meanwhile?: () => void): Promise<void>;
  /** Stops everything, and removes the folder. */
  stop(): Promise<void>;
};

export const machine = {
  readFile: (path: string) => readFileSync(path, 'utf8'),
  which: (program: string) => Bun.which(program),
};

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'sbx-'));

/** Linux gives out ports from 32768 by itself; below, each worker of the test runner has its own. */
const PORTS = 2_000;
const firstPort = 10_000 + PORTS * (Number(process.env.BUN_TEST_WORKER_ID ?? 0) % 11);
let lastPort = Math.floor(Math.random() * PORTS);

/** A port that is free, and that nobody gets by chance before it is used. */
export function freePort(): number {
  for (;;) {
    lastPort = (lastPort + 1) % PORTS;
    const port = firstPort + lastPort;
    try {
      Bun.listen({ hostname: '127.0.0.1', port, exclusive: true, socket: { data() {} } }).stop(
        true,
      );
      return port;
    } catch {
      // In use.
    }
  }
}

/** The features of a run that does without some: see `test/features/without.test.ts`. */
export const FEATURES_OF_RUN: Readonly<Record<string, string>> =
  process.env.SIGNALBOX_FEATURES === undefined
    ? {}
    : { SIGNALBOX_FEATURES: process.env.SIGNALBOX_FEATURES };

/** Whether there is a feature in this run: for what a test of another one, or of the core, sees of it. */
export const hasFeature = (name: string): boolean =>
  enabledFeatures(FEATURES_OF_RUN).some((one) => one.name === name);

/** Ports for the one-machine mode that cannot collide. */
export const portSettings = (httpPort = freePort()) => ({
  HUB_PORT: '0',
  AGENT_PORT: '0',
  PROXY_HTTP_PORT: String(httpPort),
  PROXY_HTTPS_PORT: String(freePort()),
});

/**
 * Calls `check` every few milliseconds, less often the longer it takes, until it returns something;
 * never a fixed wait.
 * @param timeout in milliseconds, on a machine as fast as the reference
 */
export async function until<T>(
  check: () => Promise<T | undefined | false | null> | T | undefined | false | null,
  what = 'the condition',
  timeout = 15_000,
): Promise<T> {
  const start = Date.now();
  const most = limit(timeout);
  for (;;) {
    const found = await check();
    if (found) return found;
    const waited = Date.now() - start;
    if (waited > most) throw new Error(`timed out after ${most} ms waiting for ${what}`);
    await Bun.sleep(Math.min(10 + waited / 20, 200));
  }
}

/**
 * Caddy answers a load before it has closed the previous listeners, and who connects to one of them is served
 * by the previous configuration.
 * @param url of the proxy, on the ports of which there is one listener
 */
async function settleListeners(url: string): Promise<void> {
  const port = Number(new URL(url).port);
  for (let tries = 0; tries < 50 && countListeners(port) > 1; tries++) await Bun.sleep(10);
}

/** Sends a request and reads the whole answer; `body` is the parsed JSON, or undefined. */
export async function ask<T = unknown>(
  url: string,
  init: {
    method?: string;
    json?: unknown;
    raw?: string | Uint8Array<ArrayBuffer> | FormData;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer<T>> {
  const body = init.raw ?? (init.json === undefined ? undefined : JSON.stringify(init.json));
  const type = body instanceof FormData ? undefined : { 'Content-Type': 'application/json' };
  const isVisit = init.headers?.Host !== undefined;
  if (isVisit) await settleListeners(url);
  const send = () =>
    fetch(url, {
      method: init.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...init.headers },
      redirect: 'manual',
      // A reload of Caddy closes idle connections, and may reset one that it has just accepted.
      ...(isVisit && { keepalive: false }),
      ...(body === undefined ? {} : { body }),
    });
  const response = await send().catch((error) => {
    if (isVisit && (error as { code?: unknown }).code === 'ECONNRESET') return send();
    throw error;
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: tests can check the text.
  }
  return { status: response.status, body: parsed as T, headers: response.headers, text };
}

/**
 * @param env settings of the one-machine mode, besides ports and folder
 * @param paces `QUICK`, for what waits for messages; `PACES`, for the real one
 */
export async function startStack(
  env: Record<string, string> = {},
  folder = temporaryFolder(),
  paces = USUAL,
): Promise<Stack> {
  const variables = { ...FEATURES_OF_RUN, ...portSettings(), ...env };
  const dataDir = join(folder, 'data');
  const lines: string[] = [];
  const settings = readSettings(
    'all',
    { PATH: process.env.PATH, DATA_DIR: dataDir, ...variables },
    machine,
  );
  const log: Log = createLog(
    (line) => lines.push(line),
    () => new Date(),
    { ...settings.log, context: logContext },
  );
  const serve = () => serveAll(settings, log, undefined, paces);
  let running = await serve();
  const token = readFileSync(join(dataDir, 'agent-token'), 'utf8').trim();
  const agentHeaders = { Authorization: `Bearer ${token}` };

  return {
    folder,
    dataDir,
    httpPort: Number(variables.PROXY_HTTP_PORT),
    httpsPort: Number(variables.PROXY_HTTPS_PORT),
    token,
    settings,
    lines,
    proxyfile: settings.agent.proxy.proxyfile,
    accessLog: settings.agent.proxy.accessLog.file,
    get hub() {
      return `${running.hub.url}/api`;
    },
    get agent() {
      return running.agent.url;
    },
    agentHeaders,
    askAgent: (path, json) =>
      ask(running.agent.url + path, { headers: agentHeaders, ...(json !== undefined && { json }) }),
    readProxyfile: () => readFileSync(settings.agent.proxy.proxyfile, 'utf8'),
    served: (host, path = '/') =>
      ask(`http://127.0.0.1:${variables.PROXY_HTTP_PORT}${path}`, { headers: { Host: host } }),

    async restart(meanwhile = () => {}) {
      await running.stop();
      meanwhile();
      running = await serve();
    },
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A stack whose Caddy signs all certificates itself, and does not touch the trust store. */
export async function startLocalCaStack(env: Record<string, string> = {}): Promise<Stack> {
  const folder = temporaryFolder();
  const ports = { ...portSettings(), ...env };
  const database = openDatabase(join(folder, 'data'));
  const options = [
    `http_port ${ports.PROXY_HTTP_PORT}`,
    `https_port ${ports.PROXY_HTTPS_PORT}`,
    'local_certs',
    'skip_install_trust',
  ];
  createStore(database).seedPreamble(`{\n\t${options.join('\n\t')}\n}`, new Date());
  database.close();
  return startStack(ports, folder);
}

/** Creates the owner's account and returns the headers of its requests. */
export async function signUp(stack: { hub: string }, email = 'ada@example.org', name = 'Ada') {
  const answer = await ask<{ token: string; user: { id: string } }>(
    `${stack.hub}/auth/sign-up/email`,
    { json: { name, email, password: 'a long passphrase' } },
  );
  if (answer.status !== 200) throw new Error(`sign-up: ${answer.text}`);
  return {
    token: answer.body.token,
    userId: answer.body.user.id,
    headers: { Authorization: `Bearer ${answer.body.token}` },
  };
}
