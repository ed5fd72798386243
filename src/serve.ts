/** Puts the parts together and listens: hub, agent, or both with a Caddy of their own. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyElysia } from 'elysia';
import { createAgent } from '../agent/app.ts';
import { writeDurably } from '../agent/caddy/files.ts';
import { createProxy } from '../agent/caddy/proxy.ts';
import { createLogs } from '../agent/logs/logs.ts';
import { version } from '../package.json';
import { createAgentClient } from './agent-client.ts';
import { createHub } from './app.ts';
import { isLoopback } from './auth/address.ts';
import { createDirectory } from './auth/directory.ts';
import { createAccounts } from './auth/service.ts';
import { createSetupCode } from './auth/setup-code.ts';
import { createTokens } from './auth/tokens.ts';
import type { AgentSettings, HubSettings, Settings } from './config.ts';
import { openDatabase } from './db/open.ts';
import { createImporter } from './exchange/importer.ts';
import { lockFolder } from './lock.ts';
import type { Log } from './log.ts';
import { createPublisher } from './vhosts/publisher.ts';
import { startReconciler } from './vhosts/reconciler.ts';
import { createStore } from './vhosts/store.ts';

/** A running program; `stop` resolves when all that was under way is done. */
export type Running = { url: string; stop: () => Promise<void> };

/** Listens already, and does its own work once it is told to begin. */
type Prepared = Running & { begin: () => Promise<void> };

/** Long enough for a publish under way; what hangs longer is cut off. */
const STOP_PATIENCE_MS = 40_000;

export type HubRunning = Running & {
  /** What the first sign-up needs unless it comes from this machine; null where there is an account. */
  setupCode: string | null;
  loopback: boolean;
};

/** For connections that have not said yet what they want. */
const IDLE_SECONDS = 30;

/** @throws Error where the data folder is in use, or the port is taken */
export async function serveHub(
  settings: HubSettings,
  token: string,
  log: Log,
): Promise<HubRunning> {
  const hub = prepareHub(settings, openDatabase(settings.dataDir), token, log);
  await hub.begin();
  return hub;
}

/** @throws Error where the data folder is in use, the port is taken or a folder cannot be written */
export async function serveAgent(
  settings: AgentSettings,
  token: string,
  log: Log,
): Promise<Running> {
  const agent = prepareAgent(settings, token, log);
  await beginOrStop(agent);
  return agent;
}

/** Hub, agent and Caddy on one machine. @throws as the two, with a proxy that runs left alone */
export async function serveAll(settings: Settings, log: Log) {
  const { hub, agent } = settings;
  const database = openDatabase(hub.dataDir);
  const token = settings.token ?? ownToken(join(hub.dataDir, 'agent-token'));
  let agentPart: Prepared;
  try {
    agentPart = prepareAgent(agent, token, log);
  } catch (error) {
    database.close();
    throw error;
  }
  let hubPart: HubRunning & Prepared;
  try {
    const agentTrust = agent.tls && { ca: agent.tls.cert };
    const near = { ...hub, agentUrl: agentPart.url, agentTrust };
    hubPart = prepareHub(near, database, token, log, () => firstPreamble(settings.firstPorts));
  } catch (error) {
    await agentPart.stop();
    throw error;
  }
  const stop = async () => {
    await hubPart.stop();
    await agentPart.stop();
  };
  await beginOrStop({ ...agentPart, stop });
  await hubPart.begin();
  return { hub: hubPart, agent: agentPart, stop };
}

async function beginOrStop(part: Prepared): Promise<void> {
  try {
    await part.begin();
  } catch (error) {
    await part.stop();
    throw error;
  }
}

function prepareHub(
  settings: HubSettings,
  { db, close }: ReturnType<typeof openDatabase>,
  token: string,
  log: Log,
  preamble?: () => string,
): HubRunning & Prepared {
  const now = () => new Date();
  const store = createStore(db);
  if (preamble && store.isUnseeded()) store.seedPreamble(preamble(), now());
  const { agentUrl: url, agentTrust: trust, agentDeadline: deadline } = settings;
  const agent = createAgentClient({
    url,
    token,
    trust,
    ...(deadline === undefined ? {} : { deadline }),
  });
  const publisher = createPublisher({ store, agent, now, log, importDirs: settings.importDirs });
  const warnings = warningsOf(settings);
  for (const warning of warnings) log('warning', { warning });
  const setupCode = createSetupCode(join(settings.dataDir, 'setup-code'));
  const accounts = createAccounts({ db, now, signUp: settings.signUp, setupCode });
  if (accounts.any()) setupCode.forget();
  const { trustProxy, hosts } = settings;
  const loopback = isLoopback(settings.host);
  const app = createHub({
    db,
    accounts,
    directory: createDirectory({ db }),
    tokens: createTokens({ db, now }),
    publisher,
    importer: createImporter({ publisher, agent, keepPorts: preamble !== undefined, now }),
    preambleUpdatedAt: store.preambleUpdatedAt,
    agent,
    trustProxy,
    loopback,
    hosts,
    warnings,
    version,
    now,
    log,
  });
  let listening: Running;
  try {
    listening = listen(app, settings.host, settings.port);
  } catch (error) {
    close();
    throw error;
  }
  let reconciler: ReturnType<typeof startReconciler> | undefined;
  return {
    url: listening.url,
    setupCode: accounts.any() ? null : setupCode.read(),
    loopback,
    async begin() {
      reconciler = startReconciler(publisher, log);
    },
    async stop() {
      await listening.stop();
      await reconciler?.stop();
      close();
    },
  };
}

function prepareAgent(settings: AgentSettings, token: string, log: Log): Prepared {
  const { managed, admin, accessLog } = settings.proxy;
  // A second agent would adopt the first one's proxy, and end it when it stops.
  const release = managed ? lockFolder(dirname(managed.folder), 'agent') : () => {};
  try {
    const tokens = [token, ...(settings.previousToken === null ? [] : [settings.previousToken])];
    if (managed) prepareSocketFolder(admin);
    const proxy = createProxy(settings.proxy, log);
    const logs = createLogs({ file: accessLog.file });
    logs.warm();
    const app = createAgent({ tokens, proxy, logs, log });
    const listening = listen(app, settings.host, settings.port, settings.tls);
    let begun = false;
    return {
      url: listening.url,
      async begin() {
        begun = true;
        await proxy.start();
      },
      async stop() {
        await listening.stop();
        // Before it has begun, a proxy that runs is none of its own.
        if (begun) await proxy.stop();
        logs.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** What an operator should know; also told by the status. */
function warningsOf({ agentUrl }: HubSettings): string[] {
  const { protocol, hostname } = new URL(agentUrl);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [];
  return [
    'The agent is talked to over plain HTTP: whoever is on the way can read its token and rule the proxy. Give it a certificate (signalbox agent --new-cert).',
  ];
}

/** Ports are taken exclusively: Elysia's default lets two servers share one without a word. */
function listen(
  app: AnyElysia,
  hostname: string,
  port: number,
  tls: AgentSettings['tls'] = null,
): Running {
  try {
    app.listen({
      hostname,
      port,
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      // Bodies are bounded where they are read, after the guards; Bun's own answer is no JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (cause) {
    throw new Error(`cannot listen on ${hostname}, port ${port}: is it taken?`, { cause });
  }
  const { server } = app;
  if (!server) throw new Error(`cannot listen on ${hostname}, port ${port}`);
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host}:${server.port}`,
    async stop() {
      const cut = setTimeout(() => void server.stop(true), STOP_PATIENCE_MS);
      await server.stop();
      clearTimeout(cut);
    },
  };
}

/** The one-machine mode's shared token: made once, readable by its owner alone. */
function ownToken(file: string): string {
  if (!existsSync(file)) writeDurably(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** The admin socket lets its holder rule the proxy: nobody else may own or enter its folder. */
function prepareSocketFolder(admin: string): void {
  if (!admin.startsWith('unix/')) return;
  const folder = dirname(admin.slice('unix/'.length));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new Error(`${folder} must belong to this user alone (mode 0700)`);
  }
}

/**
 * Where 80 and 443 may not be had, the next best that need no privilege. The machine's trust store
 * is left alone: as root Caddy would install its own CA there, again at every load (seen on 2.6.2).
 */
function firstPreamble(ports: Settings['firstPorts']): string {
  const privileged = canListen(80) && canListen(443);
  const http = ports.http ?? (privileged ? 80 : 8080);
  const https = ports.https ?? (privileged ? 443 : 8443);
  const options = [`http_port ${http}`, `https_port ${https}`, 'skip_install_trust'];
  return `{\n\t${options.join('\n\t')}\n}`;
}

function canListen(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, exclusive: true, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
