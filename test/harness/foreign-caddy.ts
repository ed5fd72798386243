/** A Caddy that someone else runs with their own Caddyfile, and hub and agent beside it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/program/config.ts';
import { serveAgent } from '../../src/program/serve/agent.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import { QUICK } from './pace.ts';
import { ask, freePort, machine, signUp, temporaryFolder, until } from './stack.ts';

export type ForeignCaddy = Awaited<ReturnType<typeof startBesideForeignCaddy>>;

export async function startBesideForeignCaddy() {
  const folder = temporaryFolder();
  const file = join(folder, 'Caddyfile');
  const [admin, httpPort] = [freePort(), freePort()];
  const theirs = `http://theirs.example:${httpPort} {\n\trespond theirs\n}\n`;
  const token = 'takeover'.repeat(4);
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'data'),
    AGENT_TOKEN: token,
    AGENT_PORT: '0',
    HUB_PORT: '0',
    PROXYFILE: file,
    PROXY_ADMIN: `localhost:${admin}`,
    ACCESS_LOG: join(folder, 'access.log'),
  };

  // From their file alone Caddy would start with the standard endpoint, and 2.6.2 has no CADDY_ADMIN.
  const start = join(folder, 'start');
  writeFileSync(start, `{\n\tadmin localhost:${admin}\n}\nimport ${file}\n`);

  async function startCaddy(): Promise<Bun.Subprocess> {
    const output = Bun.file(join(folder, 'caddy.out'));
    const child = Bun.spawn(['caddy', 'run', '--config', start, '--adapter', 'caddyfile'], {
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      stdio: ['ignore', output, output],
    });
    const answers = () =>
      fetch(`http://localhost:${admin}/config/`).then(
        () => true,
        () => false,
      );
    await until(answers, 'their Caddy');
    return child;
  }

  async function kill(child: Bun.Subprocess): Promise<void> {
    child.kill('SIGKILL');
    await child.exited;
  }

  writeFileSync(file, theirs);
  let caddy = await startCaddy();
  const agent = await serveAgent(
    readSettings('agent', env, machine).agent,
    token,
    () => {},
    undefined,
    QUICK.agent,
  );
  const settings = { ...readSettings('hub', env, machine).hub, agentUrl: agent.url };
  const hub = await serveHub(settings, token, () => {}, QUICK.hub);

  return {
    folder,
    /** The Caddyfile, and what was in it at first. */
    file,
    theirs,
    httpPort,
    hub: `${hub.url}/api`,
    agent: agent.url,
    agentHeaders: { Authorization: `Bearer ${token}` },
    owner: await signUp({ hub: `${hub.url}/api` }),

    /** What Caddy answers for a host; empty if it serves no such site. */
    served: async (host: string) =>
      (await ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: host } })).text,

    /** As someone else would: kills their Caddy, and starts it with what is in the Caddyfile. */
    async restartCaddy() {
      await kill(caddy);
      caddy = await startCaddy();
    },

    async stop() {
      await hub.stop();
      await agent.stop();
      await kill(caddy);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
