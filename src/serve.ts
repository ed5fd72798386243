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
import { createAccounts } from './auth/service.ts';
import type { AgentSettings, HubSettings, Settings } from './config.ts';
import { openDatabase } from './db/open.ts';
import type { Log } from './log.ts';
import { createPublisher } from './vhosts/publisher.ts';
import { startReconciler } from './vhosts/reconciler.ts';
import { createStore } from './vhosts/store.ts';

/** A running program; `stop` resolves when all that was under way is done. */
export type Running = { url: string; stop: () => Promise<void> };

/** Long enough for a publish under way; what hangs longer is cut off. */
const STOP_PATIENCE_MS = 40_000;
/** Long enough for almost all publishes: a reader that was only slow may have ended meanwhile. */
const STUCK_PATIENCE_MS = 2_000;

/** `stuck`: so many of the requests under way may never end by themselves. */
type Listening = { url: string; stop: (stuck?: number) => Promise<void> };

/** @throws Error where the data folder is in use, or the port is taken */
export async function serveHub(
  settings: HubSettings,
  token: string,
  log: Log,
  firstPreamble?: () => string,
): Promise<Running & { hasAccount: () => boolean }> {
  const { db, close } = openDatabase(settings.dataDir);
  const now = () => new Date();
  const store = createStore(db);
  if (firstPreamble && store.isUnseeded()) store.seedPreamble(firstPreamble(), now());
  const agent = createAgentClient({ url: settings.agentUrl, token });
  const publisher = createPublisher({ store, agent, now, log });
  const accounts = createAccounts({ db, now, signUp: settings.signUp });
  const { trustProxy } = settings;
  const app = createHub({ db, accounts, publisher, agent, trustProxy, version, now, log });
  let listening: Listening;
  try {
    listening = listen(app, settings.host, settings.port);
  } catch (error) {
    close();
    throw error;
  }
  const reconciler = startReconciler(publisher, log);
  return {
    url: listening.url,
    hasAccount: accounts.any,
    async stop() {
      await listening.stop(agent.endTails());
      await reconciler.stop();
      close();
    },
  };
}

/** @throws Error where the port is taken or a folder cannot be written */
export async function serveAgent(
  settings: AgentSettings,
  token: string,
  log: Log,
): Promise<Running> {
  if (settings.proxy.managed) prepareSocketFolder(settings.proxy.admin);
  const proxy = createProxy(settings.proxy, log);
  const logs = createLogs({ file: settings.proxy.accessLog.file });
  logs.warm();
  const app = createAgent({ token, proxy, logs, log });
  const listening = listen(app, settings.host, settings.port);
  try {
    await proxy.start();
  } catch (error) {
    await listening.stop();
    logs.close();
    throw error;
  }
  return {
    url: listening.url,
    async stop() {
      await listening.stop(logs.endTails());
      await proxy.stop();
      logs.close();
    },
  };
}

/** Hub, agent and Caddy on one machine. @throws as the two */
export async function serveAll(settings: Settings, log: Log) {
  const { hub, agent } = settings;
  mkdirSync(hub.dataDir, { recursive: true, mode: 0o700 });
  const token = settings.token ?? ownToken(join(hub.dataDir, 'agent-token'));
  const agentRunning = await serveAgent(agent, token, log);
  try {
    const hubRunning = await serveHub({ ...hub, agentUrl: agentRunning.url }, token, log, () =>
      firstPreamble(settings.firstPorts),
    );
    return {
      hub: hubRunning,
      agent: agentRunning,
      async stop() {
        await hubRunning.stop();
        await agentRunning.stop();
      },
    };
  } catch (error) {
    await agentRunning.stop();
    throw error;
  }
}

/** Ports are taken exclusively: Elysia's default lets two servers share one without a word. */
function listen(app: AnyElysia, hostname: string, port: number): Listening {
  try {
    app.listen({ hostname, port, reusePort: false, idleTimeout: 120 });
  } catch (cause) {
    throw new Error(`cannot listen on ${hostname}, port ${port}: is it taken?`, { cause });
  }
  const { server } = app;
  if (!server) throw new Error(`cannot listen on ${hostname}, port ${port}`);
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${server.port}`,
    async stop(stuck = 0) {
      const cut = setTimeout(() => void server.stop(true), STOP_PATIENCE_MS);
      // When only readers are left that take nothing, there is nothing to wait for.
      const look = setInterval(() => {
        if (stuck > 0 && server.pendingRequests <= stuck) void server.stop(true);
      }, STUCK_PATIENCE_MS);
      await server.stop();
      clearInterval(look);
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

/** Where 80 and 443 may not be had, the next best that need no privilege. */
function firstPreamble(ports: Settings['firstPorts']): string {
  const privileged = canListen(80) && canListen(443);
  const http = ports.http ?? (privileged ? 80 : 8080);
  const https = ports.https ?? (privileged ? 443 : 8443);
  return `{\n\thttp_port ${http}\n\thttps_port ${https}\n}`;
}

function canListen(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, exclusive: true, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
