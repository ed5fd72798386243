/** Starts and stops the hub, the agent, or both together with Caddy. */
import { join } from 'node:path';
import { openDatabase } from '../../hub/db/open.ts';
import type { Log } from '../../shared/log.ts';
import type { AgentSettings, HubSettings, Settings } from '../config.ts';
import type { Running } from '../listen.ts';
import { prepareAgent } from './agent.ts';
import { firstPreamble, ownToken } from './first-run.ts';
import { prepareHub, secretReplaced } from './hub.ts';
import type { Indexing, Prepared, PreparedAgent, RunningHub } from './running.ts';

/** @throws Error if the data folder or the port is in use */
export async function serveHub(
  settings: HubSettings,
  token: string,
  log: Log,
): Promise<RunningHub> {
  const hub = prepareHub(settings, openDatabase(settings.dataDir), token, log);
  await hub.begin();
  return hub;
}

/** @throws Error if the data folder or the port is in use, or a folder cannot be written */
export async function serveAgent(
  settings: AgentSettings,
  token: string,
  log: Log,
  indexing?: Indexing,
): Promise<Running> {
  const agent = prepareAgent(settings, token, log, indexing);
  await beginOrStop(agent);
  return agent;
}

export type RunningAll = { hub: RunningHub; agent: Running; stop: () => Promise<void> };

/** Hub, agent and Caddy on one machine. @throws as the two above; a proxy that runs goes on running */
export async function serveAll(
  settings: Settings,
  log: Log,
  indexing?: Indexing,
): Promise<RunningAll> {
  const { hub, agent } = settings;
  const database = openDatabase(hub.dataDir);
  const token = settings.token ?? ownToken(join(hub.dataDir, 'agent-token'), secretReplaced(log));
  let preparedAgent: PreparedAgent;
  try {
    preparedAgent = prepareAgent(agent, token, log, indexing);
  } catch (error) {
    database.close();
    throw error;
  }
  let preparedHub: RunningHub & Prepared;
  try {
    const agentTrust = agent.tls && { ca: agent.tls.cert };
    const local = { ...hub, agentUrl: preparedAgent.url, agentTrust };
    preparedHub = prepareHub(local, database, token, log, {
      preamble: () => firstPreamble(settings.firstPorts),
      warnings: preparedAgent.warnings,
    });
  } catch (error) {
    await preparedAgent.stop();
    throw error;
  }
  const stop = async () => {
    await preparedHub.stop();
    await preparedAgent.stop();
  };
  await beginOrStop({ ...preparedAgent, stop });
  await preparedHub.begin();
  return { hub: preparedHub, agent: preparedAgent, stop };
}

async function beginOrStop(service: Prepared): Promise<void> {
  try {
    await service.begin();
  } catch (error) {
    await service.stop();
    throw error;
  }
}
