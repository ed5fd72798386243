/** A hub whose agent never answers: for what only the hub answers, without a Caddy for it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/program/config.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import { createLog } from '../../src/shared/log.ts';
import { FEATURES_OF_RUN, freePort, machine, temporaryFolder } from './stack.ts';

export type HubAlone = Awaited<ReturnType<typeof startHubAlone>>;

/** @param env settings of the hub, besides port and folder */
export async function startHubAlone(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const token = 'x'.repeat(43);
  const agent = { AGENT_TOKEN: token, AGENT_URL: `http://127.0.0.1:${freePort()}` };
  const variables = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    HUB_PORT: '0',
    ...FEATURES_OF_RUN,
    ...agent,
    ...env,
  };
  const settings = readSettings('hub', variables, machine);
  const lines: string[] = [];
  const log = createLog(
    (line) => lines.push(line),
    () => new Date(),
    settings.log,
  );
  const serve = () => serveHub(settings.hub, token, log);
  let running = await serve();
  return {
    folder,
    dataDir,
    /** The agent's token. */
    token,
    /** The lines of the program's own log. */
    lines: lines as readonly string[],
    /** The base URL of the hub's API, which changes with a restart. */
    get hub() {
      return `${running.url}/api`;
    },
    async restart() {
      await running.stop();
      running = await serve();
    },
    /** Stops it, and removes the folder. */
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
