/** A hub and several agents with a real Caddy each, all of them processes that can be killed and stopped. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../../src/shared/async.ts';
import { caddiesOf, signalCaddies } from './caddys.ts';
import { mayMount, mountSmall, unmount } from './mount.ts';
import { type Program, runProgram } from './program.ts';
import { type Relay, startRelay } from './relay.ts';
import { limit } from './speed.ts';
import { type Answer, ask, freePort, signUp, temporaryFolder, until } from './stack.ts';

/** A process, or a Caddy that its agent starts. */
export type Part = {
  readonly name: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** Starts it after `kill`; a Caddy is started by its agent. */
  revive(): Promise<void>;
};

/** An agent and its proxy. */
export type Site = {
  readonly name: string;
  readonly agent: Part;
  readonly caddy: Part;
  /** Between the hub and the agent. */
  readonly link: Relay;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly proxyfile: string;
  /** A link to the program of its Caddy; without it, Caddy cannot be started again. */
  readonly program: string;
  /** A small disk of its own if `mayMount`, which holds everything that the agent keeps. */
  readonly folder: string;
  /** How many Caddys run for it. */
  proxies(): number;
  /** What its proxy answers for a host; null if it does not. */
  served(host: string): Promise<{ text: string; headers: Headers } | null>;
};

export type Processes = {
  readonly hub: Part;
  readonly api: string;
  readonly hubFolder: string;
  readonly headers: Record<string, string>;
  readonly sites: readonly Site[];
  call<T = unknown>(method: string, path: string, json?: unknown): Promise<Answer<T>>;
  /** Starts an agent and enrols it under a name. */
  add(name: string): Promise<Site>;
  stop(): Promise<void>;
};

const TOKEN = 'chaos'.repeat(8);
const DISK = 'size=48m';
export const FIRST = 'local';

/** The preamble of a proxy that shares the machine with others, and `more` after its global options. */
export const preambleOf = (site: Site, more = ''): string =>
  `{\n\thttp_port ${site.httpPort}\n\thttps_port ${site.httpsPort}\n\tskip_install_trust\n}\n${more}`;

/** Makes what `Site` has as its program. */
export const linkCaddy = (program: string): void => symlinkSync(Bun.which('caddy') ?? '', program);

/**
 * @param names of the agents besides the first, which is `local`
 * @param real at the real pace
 * @param env settings of the hub besides
 */
export async function startProcesses(
  names: readonly string[],
  real = false,
  env: Record<string, string> = {},
): Promise<Processes> {
  const folders: string[] = [];
  function folder(): string {
    const made = temporaryFolder();
    if (mayMount) mountSmall(made, DISK);
    folders.push(made);
    return made;
  }

  const first = await startSite(FIRST);
  const sites = [first];
  const hubPort = freePort();
  const hubFolder = folder();
  const hub = createPart(real, 'hub', 'hub', hubFolder, {
    DATA_DIR: join(hubFolder, 'data'),
    HUB_PORT: String(hubPort),
    AGENT_TOKEN: TOKEN,
    AGENT_URL: `http://127.0.0.1:${first.link.port}`,
    ...env,
  });
  await hub.revive();
  const api = `http://127.0.0.1:${hubPort}/api`;
  const { headers } = await signUp({ hub: api });
  const call = <T>(method: string, path: string, json?: unknown) =>
    ask<T>(`${api}${path}`, { method, headers, ...(json === undefined ? {} : { json }) });
  await succeed(call('PUT', '/preamble', { config: preambleOf(first) }));
  for (const name of names) await add(name);

  async function add(name: string): Promise<Site> {
    const site = await startSite(name);
    sites.push(site);
    const invitation = await site.invitation();
    await succeed(call('POST', '/agents', { name, invitation }));
    await succeed(call('PUT', `/preamble?agent=${name}`, { config: preambleOf(site) }));
    return site;
  }

  /** The first agent has its token from the settings; the others are enrolled. */
  async function startSite(name: string) {
    const home = folder();
    const port = freePort();
    const [httpPort, httpsPort] = [freePort(), freePort()];
    const link = await startRelay(port);
    const proxyfile = join(home, 'Caddyfile');
    const program = join(home, 'caddy');
    linkCaddy(program);
    const dataDir = join(home, 'data');
    const env = {
      DATA_DIR: dataDir,
      AGENT_PORT: String(port),
      PROXY_MANAGED: 'true',
      PROXYFILE: proxyfile,
      ACCESS_LOG: join(home, 'access.log'),
      PROXY_BIN: program,
      ...(name === FIRST ? { AGENT_TOKEN: TOKEN } : {}),
    };
    const agent = createPart(real, 'agent', `agent ${name}`, home, env);
    await agent.revive(...(name === FIRST ? [] : ['--invite', `https://127.0.0.1:${link.port}`]));
    const signal = (signal: NodeJS.Signals) => signalCaddies(dataDir, signal);
    return {
      name,
      agent,
      link,
      httpPort,
      httpsPort,
      proxyfile,
      program,
      folder: home,
      caddy: {
        name: `caddy ${name}`,
        kill: async () => signal('SIGKILL'),
        freeze: () => signal('SIGSTOP'),
        thaw: () => signal('SIGCONT'),
        revive: async () => {},
      },
      proxies: () => caddiesOf(dataDir).length,
      invitation: () =>
        until(() => /^invitation: (.+)$/m.exec(agent.output())?.[1], `an invitation of ${name}`),
      async served(host: string) {
        const url = `http://127.0.0.1:${httpPort}/`;
        const answer = ask(url, { headers: { Host: host } }).catch(() => null);
        return within(answer, limit(5_000), () => null);
      },
    };
  }

  return {
    hub,
    api,
    hubFolder,
    headers,
    sites,
    call,
    add,
    async stop() {
      for (const part of [hub, ...sites.map(({ agent }) => agent)]) await part.kill();
      for (const { caddy, link } of sites) {
        await caddy.kill();
        await link.stop();
      }
      for (const made of folders) {
        if (mayMount) unmount(made);
        rmSync(made, { recursive: true, force: true });
      }
    },
  };
}

function createPart(
  real: boolean,
  role: 'hub' | 'agent',
  name: string,
  home: string,
  env: Record<string, string>,
) {
  let program: Program | undefined;
  return {
    name,
    output: () => program?.output.out ?? '',
    async kill() {
      program?.child.kill('SIGKILL');
      await program?.child.exited;
    },
    freeze: () => program?.child.kill('SIGSTOP'),
    thaw: () => program?.child.kill('SIGCONT'),
    async revive(...options: string[]) {
      program = runProgram([role, ...options], env, home, { real });
      await program.address(role);
    },
  };
}

async function succeed(call: Promise<Answer>): Promise<void> {
  const { status, text } = await call;
  if (status >= 300) throw new Error(text);
}
