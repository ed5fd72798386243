/** Puts the hub together and makes it listen. */
import { dirname, join } from 'node:path';
import { type AgentClient, createAgentClient } from '../../hub/agents/client.ts';
import { createAgentKeys } from '../../hub/agents/keys.ts';
import { createFleet } from '../../hub/api/fleet.ts';
import { createHub } from '../../hub/app.ts';
import { createAccounts } from '../../hub/auth/accounts/accounts.ts';
import { countSignIns } from '../../hub/auth/accounts/count-sign-ins.ts';
import { createDirectory } from '../../hub/auth/accounts/directory.ts';
import { createSetupCode } from '../../hub/auth/accounts/setup-code.ts';
import { createCommandLine } from '../../hub/auth/command-line.ts';
import { createTokens } from '../../hub/auth/tokens/tokens.ts';
import { createChannels } from '../../hub/channels/channels.ts';
import { createDeliver } from '../../hub/channels/deliver.ts';
import { createNotifications } from '../../hub/channels/notifications.ts';
import type { OpenDatabase } from '../../hub/db/open.ts';
import { createImporter } from '../../hub/exchange/importer.ts';
import { createReadImport } from '../../hub/exchange/read-import.ts';
import type { StoredAgent } from '../../hub/model/agent.ts';
import { createStore } from '../../hub/model/store.ts';
import type { Pace } from '../../hub/pace.ts';
import { createReadPorts } from '../../hub/publish/ports.ts';
import { createPublisher } from '../../hub/publish/publisher.ts';
import { startReconciler } from '../../hub/publish/reconcile.ts';
import { collectCertificates, collectStandings } from '../../hub/watch/agent-metrics.ts';
import { createLook } from '../../hub/watch/look.ts';
import { collectVhosts, createHubMetrics } from '../../hub/watch/metrics.ts';
import { messageOf, runAll, settleAll } from '../../shared/async.ts';
import { createDisks } from '../../shared/disks.ts';
import { type Log, withFields } from '../../shared/log.ts';
import { isLoopback, isLoopbackHost } from '../../shared/loopback.ts';
import { collectProcess } from '../../shared/observe/process.ts';
import { newSecret } from '../../shared/secret-file.ts';
import { agentsKeyIn, type HubSettings, localSecret } from '../config.ts';
import { type Listening, type LocalListening, listen, listenLocally } from '../listen.ts';
import { COMMIT, VERSION } from '../version.ts';
import { readDashboard } from './dashboard.ts';
import { SECRET_BYTES } from './first-run.ts';
import { type Prepared, prepareSocketFolder, type RunningHub } from './running.ts';

/**
 * @param preamble the first one; only if hub, agent and proxy are on one machine
 * @throws Error if the port is in use; the database is closed then
 */
export function prepareHub(
  settings: HubSettings,
  database: OpenDatabase,
  token: string,
  given: Log,
  pace: Pace,
  preamble?: () => string,
): RunningHub & Prepared {
  const now = () => new Date();
  const elapsed = () => performance.now();
  const log = withFields(given, { part: 'hub' });
  const { db, assertInPlace, close } = database;
  const store = createStore(database);
  if (preamble && store.isUnseeded()) store.seedPreamble(preamble(), now());
  store.nameFirstAgent(settings.agentName);
  const keys = createAgentKeys(agentsKeyIn(settings.dataDir));
  const { agentUrl, agentTrust, agentDeadline: deadline } = settings;
  const asHub = {
    hub: store.id,
    term: () => store.term,
    isWatched: () => publisher.agents.all().length > 1,
    ...(deadline === undefined ? {} : { deadline }),
  };
  const agent = createAgentClient({ ...asHub, url: agentUrl, token, trust: agentTrust });
  /** What is wrong with the key of the enrolled agents, if there are any. */
  function lostKey(): string[] {
    const agent = publisher.current().agents.find(({ fingerprint }) => fingerprint !== null);
    if (!agent) return [];
    try {
      keys.tokenOf({ ...agent, fingerprint: agent.fingerprint ?? '' });
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  }
  /** Its token changes with each rotation. */
  function connect({ id, url, fingerprint, ...known }: StoredAgent): AgentClient {
    if (url === null || fingerprint === null) return agent;
    const generation = () =>
      publisher.current().agents.find((one) => one.id === id)?.generation ?? known.generation;
    const tokenNow = () => keys.tokenOf({ id, generation: generation(), fingerprint });
    return createAgentClient({ ...asHub, url, token: tokenNow, trust: { fingerprint } });
  }
  const metrics = createHubMetrics(
    [
      collectProcess(VERSION, 'hub', now),
      () => collectVhosts(publisher),
      () => collectStandings(publisher),
      () => collectCertificates(publisher),
      () => notifications.collect(),
    ],
    log,
  );
  const publisher = createPublisher({
    store,
    connect,
    pace,
    now,
    log,
    observe: metrics.publish,
    importDirs: settings.importDirs,
  });
  const warnings = [...warningsOf(settings), ...lostKey()];
  for (const warning of warnings) log('warning', { warning }, 'warn');
  const importer = createImporter({
    publisher,
    readImport: createReadImport(settings.importDirs),
    now,
  });
  const fleet = createFleet({
    publisher,
    keys,
    hub: store,
    first: {
      url: agentUrl,
      fingerprint: agentTrust && 'fingerprint' in agentTrust ? agentTrust.fingerprint : null,
    },
  });
  const setupCode = createSetupCode(join(settings.dataDir, 'setup-code'), secretReplaced(log));
  const accounts = countSignIns(
    createAccounts({ db, now, elapsed, signUp: settings.signUp, setupCode }),
    (reason, ip) => {
      metrics.signInFailed(reason);
      log('sign-in failed', { reason, ip }, 'warn');
    },
  );
  if (accounts.any()) setupCode.forget();
  const look = createLook({
    ...{ publisher, pace, now, elapsed, locked: accounts.locked },
    failing: createChannels({ db, now }).failing,
    disks: createDisks([{ what: 'the hub’s data', folder: settings.dataDir }]),
  });
  const deliver = createDeliver(store.id);
  const notifications = createNotifications({
    ...{ db, hub: store.id, look, deliver, delivered: metrics.delivered },
    ...{ pace, now, elapsed, log },
  });
  const { trustProxy, hosts } = settings;
  let listening: Listening;
  let local: LocalListening;
  try {
    const commandLine = createCommandLine(newSecret(localSecret(settings.dataDir), SECRET_BYTES));
    const app = createHub({
      db,
      accounts,
      directory: createDirectory({ db }),
      tokens: createTokens({ db, now }),
      commandLine,
      dashboard: readDashboard,
      publisher,
      importer,
      preambleUpdatedAt: store.preambleUpdatedAt,
      assertInPlace,
      fleet,
      deliver,
      trustProxy,
      loopback: isLoopback(settings.host),
      hosts,
      warnings,
      version: VERSION,
      commit: COMMIT,
      pace,
      now,
      elapsed,
      look,
      metrics,
      log,
    });
    if (dirname(settings.socket) !== settings.dataDir) prepareSocketFolder(settings.socket);
    listening = listen(app, { of: 'HUB', host: settings.host, port: settings.port });
    local = listenLocally(commandLine.onSocket(app.handle), settings.socket);
  } catch (error) {
    close();
    throw error;
  }
  const endStreams = () =>
    publisher.agents.all().reduce((stuck, { client }) => stuck + client.endStreams(), 0);
  let stopReconciler = async () => {};
  return {
    url: listening.url,
    setupCode: accounts.any() ? null : setupCode.read(),
    serving: createReadPorts({ publisher }),
    async begin() {
      const reconciler = startReconciler(publisher, log, pace.reconcile);
      stopReconciler = reconciler.stop;
      notifications.begin();
    },
    stop: () =>
      runAll(
        () => settleAll([listening.stop(endStreams()), local.stop()]),
        () => settleAll([stopReconciler(), notifications.stop()]),
        close,
      ),
  };
}

/** Logs that a damaged secret was replaced. */
export const secretReplaced =
  (log: Log) =>
  (file: string): void =>
    log('secret replaced', { file, reason: 'the file was damaged' }, 'warn');

/** What the operator should know; shown in the log and in the status. */
function warningsOf({ agentUrl }: HubSettings): string[] {
  const { protocol, host } = new URL(agentUrl);
  if (protocol === 'https:' || isLoopbackHost(host)) return [];
  return [
    'The connection to the agent is plain HTTP: anyone on the network path can read its token and control the proxy. Give the agent a certificate (signalbox agent --new-cert).',
  ];
}
