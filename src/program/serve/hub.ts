/** Gives the hub its files, its doors and its clocks, and makes it listen. */
import { dirname, join } from 'node:path';
import { createContext, type HubSettings } from '../../hub/api/context.ts';
import { createHub } from '../../hub/app.ts';
import { createSetupCode } from '../../hub/auth/accounts/setup-code.ts';
import { createCommandLine } from '../../hub/auth/command-line.ts';
import type { HubHalf, Restart } from '../../hub/core.ts';
import type { OpenDatabase } from '../../hub/db/open.ts';
import type { Pace } from '../../hub/pace.ts';
import { createReconciler } from '../../hub/publish/reconcile.ts';
import { runAll, settleAll } from '../../shared/async.ts';
import { type Log, withFields } from '../../shared/log.ts';
import { newSecret } from '../../shared/system/files.ts';
import { localSecret, secretKeyIn } from '../data-folder.ts';
import { listen, listenLocally } from '../listen.ts';
import { COMMIT, VERSION } from '../version.ts';
import { readDashboard } from './dashboard.ts';
import { SECRET_BYTES, secretReplaced } from './first-run.ts';
import { type Prepared, prepareSocketFolder, type RunningHub } from './running.ts';

/**
 * @param halves of features
 * @param preamble the first one; only if hub, agent and proxy are on one machine
 * @throws Error if the port is in use; the database is closed then
 */
export function prepareHub(
  settings: HubSettings,
  database: OpenDatabase,
  token: string,
  given: Log,
  pace: Pace,
  restart: Restart,
  halves: readonly HubHalf[],
  preamble?: () => string,
): RunningHub & Prepared {
  try {
    return prepare();
  } catch (error) {
    database.close();
    throw error;
  }

  function prepare(): RunningHub & Prepared {
    const { dataDir, host, port, socket } = settings;
    const now = () => new Date();
    const log = withFields(given, { part: 'hub' });
    const setupCode = createSetupCode(join(dataDir, 'setup-code'), secretReplaced(log));
    const commandLine = createCommandLine(newSecret(localSecret(dataDir), SECRET_BYTES));
    const context = createContext({
      settings,
      database,
      token,
      setupCode,
      commandLine,
      pace,
      now,
      log,
      preamble,
      secretKey: secretKeyIn(dataDir),
      restart,
      halves,
      version: VERSION,
      commit: COMMIT,
      elapsed: () => performance.now(),
    });
    const { publisher, accounts, watcher, parts } = context;
    const app = createHub(context, readDashboard);
    if (dirname(socket) !== dataDir) prepareSocketFolder(socket);
    const listening = listen(app, { of: 'HUB', host, port });
    const local = listenLocally(commandLine.onSocket(app.handle), socket);
    const endStreams = () =>
      publisher.agents.all().reduce((stuck, { client }) => stuck + client.endStreams(), 0);
    const reconciler = createReconciler(publisher, log, pace.reconcile);
    return {
      url: listening.url,
      setupCode: accounts.any() ? null : setupCode.read(),
      serving: context.readPorts,
      async begin() {
        reconciler.begin();
        watcher.begin();
        for (const { begin } of parts) begin?.();
      },
      stop: () =>
        runAll(
          () => settleAll([publisher.end(), ...parts.map(({ end }) => end?.())]),
          () => settleAll([listening.stop(endStreams()), local.stop()]),
          watcher.end,
          reconciler.end,
          database.close,
        ),
    };
  }
}
