/**
 * Starts and stops hub and agent together, with Caddy. Not in the file of the hub: a hub alone needs nothing of an agent.
 */
import { DatabaseUnusable } from '../../hub/db/fault.ts';
import { type OpenDatabase, openDatabase } from '../../hub/db/open.ts';
import { runAll } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import type { Settings } from '../config.ts';
import { agentTokenIn } from '../data-folder.ts';
import type { Running, Stop } from '../listen.ts';
import { prepareAgent } from './agent.ts';
import { firstPreamble, ownToken, secretReplaced } from './first-run.ts';
import { prepareHub } from './hub.ts';
import { type PrepareHub, prepareRestartable } from './restartable.ts';
import {
  allLoaded,
  beginOrStop,
  type Indexing,
  PACES,
  type Prepared,
  type RunningHub,
} from './running.ts';
import { loadBeforeOpen } from './serve.ts';

type RunningAll = { hub: RunningHub; agent: Running; stop: Stop };

/**
 * Hub, agent and Caddy on one machine. If the database cannot be used, agent and Caddy serve the last
 * Caddyfile, and the hub starts once it can be.
 * @throws as `serveHub`; a proxy that runs goes on running
 */
export async function serveAll(
  settings: Settings,
  log: Log,
  indexing?: Indexing,
  paces = PACES,
): Promise<RunningAll> {
  const { hub, agent } = settings;
  if (process.getuid?.() === 0) log('warning', { warning: SHARED_ROOT }, 'warn');
  const halves = await loadBeforeOpen(hub, log);
  const plans = await allLoaded(agent.plans);
  const database = openUnlessUnusable(hub.dataDir, log);
  const token = settings.token ?? ownToken(agentTokenIn(hub.dataDir), secretReplaced(log));
  let preparedAgent: Prepared;
  try {
    preparedAgent = prepareAgent(agent, token, log, plans, paces.agent, indexing);
  } catch (error) {
    database?.close();
    throw error;
  }
  let preparedHub: RunningHub & Prepared;
  try {
    const agentTrust = agent.tls && { ca: agent.tls.cert };
    const local = { ...hub, agentUrl: preparedAgent.url, agentTrust };
    const preamble = () =>
      firstPreamble(settings.firstPorts, (warning) => log('warning', { warning }, 'warn'));
    const prepare: PrepareHub = (usable, port, restart) =>
      prepareHub({ ...local, port }, usable, token, log, paces.hub, restart, halves, preamble);
    preparedHub = prepareRestartable(database, hub, prepare, paces.hub.standby, log);
  } catch (error) {
    await preparedAgent.stop();
    throw error;
  }
  const stop: Stop = (keepsProxy) => runAll(preparedHub.stop, () => preparedAgent.stop(keepsProxy));
  await beginOrStop({ ...preparedAgent, stop });
  await preparedHub.begin();
  return { hub: preparedHub, agent: preparedAgent, stop };
}

const SHARED_ROOT =
  'Hub and agent run in one process as root; only Caddy has a separate user. `signalbox install` gives hub and agent separate users.';

/** @returns null if the database cannot be used; the log says why. @throws as `openDatabase` otherwise */
function openUnlessUnusable(folder: string, log: Log): OpenDatabase | null {
  try {
    return openDatabase(folder);
  } catch (error) {
    if (!(error instanceof DatabaseUnusable)) throw error;
    log('hub not started', { reason: error.message }, 'error');
    return null;
  }
}
