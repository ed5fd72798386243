/** Puts the parts together and listens: hub, agent, or both with a Caddy of their own. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createAgent } from '../agent/app.ts';
import { writeDurably } from '../agent/caddy/files.ts';
import { errorLogOf } from '../agent/caddy/patch.ts';
import { createProxy } from '../agent/caddy/proxy.ts';
import { createLogs } from '../agent/logs/logs.ts';
import { isLoopback } from '../agent/loopback.ts';
import { collectLogs, collectProxy, createAgentMetrics } from '../agent/metrics.ts';
import { withFields } from '../agent/observe/log.ts';
import { collectProcess } from '../agent/observe/process.ts';
import { handshake } from '../agent/state/handshake.ts';
import { createProxyState } from '../agent/state/proxy-state.ts';
import { version } from '../package.json';
import { createAgentClient } from './agent-client.ts';
import { createHub, WHOLE_BODY_LIMIT } from './app.ts';
import { countSignIns } from './auth/counted.ts';
import { createDirectory } from './auth/directory.ts';
import { createAccounts } from './auth/service.ts';
import { createSetupCode } from './auth/setup-code.ts';
import { createTokens } from './auth/tokens.ts';
import type { AgentSettings, HubSettings, Settings } from './config.ts';
import { openDatabase } from './db/open.ts';
import { createImporter } from './exchange/importer.ts';
import { createLocal } from './exchange/local.ts';
import { canListen, type Listening, listen, listenLocally, type Running } from './listen.ts';
import { lockFolder } from './lock.ts';
import type { Log } from './log.ts';
import {
  collectCertificates,
  collectStanding,
  collectVhosts,
  createHubMetrics,
} from './metrics.ts';
import { createReadImport } from './read-import.ts';
import { createPublisher } from './vhosts/publisher.ts';
import { startReconciler } from './vhosts/reconciler.ts';
import { createStore } from './vhosts/store.ts';

/** Listens already, and does its own work once it is told to begin. */
type Prepared = Running & { begin: () => Promise<void> };

export type HubRunning = Running & {
  /** What the first sign-up needs unless it comes from this machine; null where there is an account. */
  setupCode: string | null;
  loopback: boolean;
};

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
  given: Log,
  preamble?: () => string,
): HubRunning & Prepared {
  const now = () => new Date();
  const log = withFields(given, { part: 'hub' });
  const store = createStore(db);
  if (preamble && store.isUnseeded()) store.seedPreamble(preamble(), now());
  const { agentUrl: url, agentTrust: trust, agentDeadline: deadline } = settings;
  const agent = createAgentClient({
    url,
    token,
    trust,
    ...(deadline === undefined ? {} : { deadline }),
  });
  const metrics = createHubMetrics(
    [
      collectProcess(version, 'hub', now),
      () => collectVhosts(publisher),
      () => collectStanding(agent, publisher),
      () => collectCertificates({ agent, publisher }),
    ],
    log,
  );
  const publisher = createPublisher({
    store,
    agent,
    now,
    log,
    observe: metrics.publish,
    importDirs: settings.importDirs,
  });
  const warnings = warningsOf(settings);
  for (const warning of warnings) log('warning', { warning }, 'warn');
  const importer = createImporter({
    publisher,
    agent,
    keepPorts: preamble !== undefined,
    readImport: createReadImport(settings.importDirs),
    now,
  });
  const setupCode = createSetupCode(join(settings.dataDir, 'setup-code'));
  const accounts = countSignIns(
    createAccounts({ db, now, signUp: settings.signUp, setupCode }),
    (reason, ip) => {
      metrics.signInFailed(reason);
      log('sign-in failed', { reason, ip }, 'warn');
    },
  );
  if (accounts.any()) setupCode.forget();
  const { trustProxy, hosts } = settings;
  const loopback = isLoopback(settings.host);
  const app = createHub({
    db,
    accounts,
    directory: createDirectory({ db }),
    tokens: createTokens({ db, now }),
    publisher,
    importer,
    preambleUpdatedAt: store.preambleUpdatedAt,
    agent,
    trustProxy,
    loopback,
    hosts,
    warnings,
    version,
    now,
    metrics,
    log,
  });
  let listening: Listening;
  let local: ReturnType<typeof listenLocally>;
  try {
    if (dirname(settings.socket) !== settings.dataDir) prepareSocketFolder(settings.socket);
    listening = listen(app, settings.host, settings.port);
    local = listenLocally(
      createLocal({ importer, bodyLimit: WHOLE_BODY_LIMIT, seen: metrics.request, log }),
      settings.socket,
    );
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
      await Promise.all([listening.stop(agent.endTails()), local.stop()]);
      await reconciler?.stop();
      close();
    },
  };
}

function prepareAgent(settings: AgentSettings, token: string, given: Log): Prepared {
  const log = withFields(given, { part: 'agent' });
  const { managed, admin, accessLog } = settings.proxy;
  // A second agent would adopt the first one's proxy, and end it when it stops.
  const release = managed ? lockFolder(dirname(managed.folder), 'agent') : () => {};
  try {
    const tokens = [token, ...(settings.previousToken === null ? [] : [settings.previousToken])];
    if (managed && admin.startsWith('unix/')) prepareSocketFolder(admin.slice('unix/'.length));
    const proxy = createProxy(settings.proxy, log);
    const logs = createLogs({ file: accessLog.file });
    logs.warm();
    const metrics = createAgentMetrics(
      [
        collectProcess(version, 'agent', () => new Date()),
        () => collectProxy(proxy),
        () => collectLogs(logs),
      ],
      log,
    );
    const tls = settings.tls !== null;
    const state = createProxyState({
      admin: proxy.admin,
      errorLog: errorLogOf(accessLog.file),
      handshake,
      newestRequest: logs.newest,
      now: () => new Date(),
    });
    const app = createAgent({ tokens, proxy, state, logs, tls, metrics, log });
    const listening = listen(app, settings.host, settings.port, settings.tls);
    let begun = false;
    return {
      url: listening.url,
      async begin() {
        begun = true;
        await proxy.start();
      },
      async stop() {
        await listening.stop(logs.endTails());
        // Before it has begun, a proxy that runs is none of its own.
        if (begun) await proxy.stop();
        await state.close();
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

/** The one-machine mode's shared token: made once, readable by its owner alone. */
function ownToken(file: string): string {
  if (!existsSync(file)) writeDurably(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** A socket lets its holder rule the proxy: nobody else may own or enter its folder. */
function prepareSocketFolder(socket: string): void {
  const folder = dirname(socket);
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
