/** Puts the hub together and makes it listen. */
import { dirname, join } from 'node:path';
import { createAgentClient } from '../../hub/agent-client/client.ts';
import { createHub, WHOLE_BODY_LIMIT } from '../../hub/app.ts';
import { createAccounts } from '../../hub/auth/accounts/accounts.ts';
import { countSignIns } from '../../hub/auth/accounts/count-sign-ins.ts';
import { createDirectory } from '../../hub/auth/accounts/directory.ts';
import { createSetupCode } from '../../hub/auth/accounts/setup-code.ts';
import { createTokens } from '../../hub/auth/tokens/tokens.ts';
import type { OpenDatabase } from '../../hub/db/open.ts';
import { createImporter } from '../../hub/exchange/importer.ts';
import { createLocal } from '../../hub/exchange/local.ts';
import { createReadImport } from '../../hub/exchange/read-import.ts';
import { createPublisher } from '../../hub/publish/publisher.ts';
import { startReconciler } from '../../hub/publish/reconcile.ts';
import { createStore } from '../../hub/publish/store.ts';
import {
  collectCertificates,
  collectStanding,
  collectVhosts,
  createHubMetrics,
} from '../../hub/state/metrics.ts';
import { type Log, withFields } from '../../shared/log.ts';
import { isLoopback, isLoopbackHost } from '../../shared/loopback.ts';
import { collectProcess } from '../../shared/observe/process.ts';
import { type HubSettings, localSecret } from '../config.ts';
import { type Listening, type LocalListening, listen, listenLocally } from '../listen.ts';
import { COMMIT, VERSION } from '../version.ts';
import { readDashboard } from './dashboard.ts';
import { newSecret } from './first-run.ts';
import { type Prepared, prepareSocketFolder, type RunningHub } from './running.ts';

/**
 * @param oneMachine only in that mode: the first preamble, and what the agent has logged already
 * @throws Error if the port is in use; the database is closed then
 */
export function prepareHub(
  settings: HubSettings,
  { db, close }: OpenDatabase,
  token: string,
  given: Log,
  oneMachine?: { preamble: () => string; warnings: readonly string[] },
): RunningHub & Prepared {
  const now = () => new Date();
  const log = withFields(given, { part: 'hub' });
  const store = createStore(db);
  if (oneMachine && store.isUnseeded()) store.seedPreamble(oneMachine.preamble(), now());
  const { agentUrl: url, agentTrust: trust, agentDeadline: deadline } = settings;
  const agent = createAgentClient({
    url,
    token,
    trust,
    ...(deadline === undefined ? {} : { deadline }),
  });
  const metrics = createHubMetrics(
    [
      collectProcess(VERSION, 'hub', now),
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
    keepFirst: oneMachine !== undefined,
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
  const app = createHub({
    db,
    accounts,
    directory: createDirectory({ db }),
    tokens: createTokens({ db, now }),
    dashboard: readDashboard,
    publisher,
    importer,
    preambleUpdatedAt: store.preambleUpdatedAt,
    agent,
    trustProxy,
    loopback: isLoopback(settings.host),
    hosts,
    warnings: [...warnings, ...(oneMachine?.warnings ?? [])],
    version: VERSION,
    commit: COMMIT,
    now,
    metrics,
    log,
  });
  let listening: Listening;
  let local: LocalListening;
  try {
    if (dirname(settings.socket) !== settings.dataDir) prepareSocketFolder(settings.socket);
    listening = listen(app, settings.host, settings.port);
    local = listenLocally(
      createLocal({
        importer,
        bodyLimit: WHOLE_BODY_LIMIT,
        secret: newSecret(localSecret(settings.dataDir)),
        seen: metrics.request,
        log,
      }),
      settings.socket,
    );
  } catch (error) {
    close();
    throw error;
  }
  let stopReconciler = async () => {};
  return {
    url: listening.url,
    setupCode: accounts.any() ? null : setupCode.read(),
    async begin() {
      const reconciler = startReconciler(publisher, log);
      stopReconciler = reconciler.stop;
    },
    async stop() {
      await Promise.all([listening.stop(agent.endStreams()), local.stop()]);
      await stopReconciler();
      close();
    },
  };
}

/** What the operator should know; shown in the log and in the status. */
function warningsOf({ agentUrl }: HubSettings): string[] {
  const { protocol, host } = new URL(agentUrl);
  if (protocol === 'https:' || isLoopbackHost(host)) return [];
  return [
    'The connection to the agent is plain HTTP: anyone on the network path can read its token and control the proxy. Give the agent a certificate (signalbox agent --new-cert).',
  ];
}
