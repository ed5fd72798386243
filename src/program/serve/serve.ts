/** Starts and stops the parts: hub, agent, or both with a Caddy of their own. */
import { join } from 'node:path';
import { openDatabase } from '../../hub/db/open.ts';
import type { Log } from '../../shared/log.ts';
import type { AgentSettings, HubSettings, Settings } from '../config.ts';
import type { Running } from '../listen.ts';
import { prepareAgent } from './agent.ts';
import { firstPreamble, ownToken } from './first-run.ts';
import { prepareHub } from './hub.ts';
import type { HubRunning, Indexing, Prepared } from './part.ts';

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
  indexing?: Indexing,
): Promise<Running> {
  const agent = prepareAgent(settings, token, log, indexing);
  await beginOrStop(agent);
  return agent;
}

/** Hub, agent and Caddy on one machine. @throws as the two, with a proxy that runs left alone */
export async function serveAll(settings: Settings, log: Log, indexing?: Indexing) {
  const { hub, agent } = settings;
  const database = openDatabase(hub.dataDir);
  const token = settings.token ?? ownToken(join(hub.dataDir, 'agent-token'));
  let agentPart: Prepared;
  try {
    agentPart = prepareAgent(agent, token, log, indexing);
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
