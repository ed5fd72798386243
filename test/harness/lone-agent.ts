/** An agent with a Caddy of its own and no hub, which gets certificates as a hub would send them. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { readSettings } from '../../src/program/config.ts';
import { serveAgent } from '../../src/program/serve/agent.ts';
import { digestOfChain, keptLine } from '../../src/shared/caddyfile/kept-certificates.ts';
import type { ProxyStatus } from '../../src/shared/wire/proxy.ts';
import type { Chain } from './certificate.ts';
import { QUICK } from './pace.ts';
import { runProgram } from './program.ts';
import { ask, freePort, machine, temporaryFolder } from './stack.ts';

export type LoneAgent = Awaited<ReturnType<typeof startLoneAgent>>;

/** What a handshake says: the serial of the certificate, or who signed it if that is Caddy. */
export function presented(port: number, servername: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  socket.once('secureConnect', () => {
    const { serialNumber, issuer } = socket.getPeerCertificate();
    resolve(/^Caddy /.test(String(issuer?.CN)) ? 'Caddy' : serialNumber);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  socket.once('close', () => resolve('closed'));
  return promise.finally(() => socket.destroy());
}

/** The comments of a hub, in its order: the certificate that ends last comes first. */
export const commentsOf = (chains: readonly Chain[]): string =>
  chains
    .map(({ chain, names }, at) =>
      keptLine({ name: `kept-${at}`, names, digest: digestOfChain(chain) }),
    )
    .map((line) => `${line}\n`)
    .join('');

/**
 * @param more settings besides, which may depend on the folder of its Caddyfile
 * @param isApart whether it runs as a process, which can be killed
 */
export async function startLoneAgent(
  more: Record<string, string> | ((beside: string) => Record<string, string>) = {},
  isApart = false,
) {
  const folder = temporaryFolder();
  const beside = join(folder, 'proxy');
  const [httpPort, httpsPort] = [freePort(), freePort()];
  const token = 'lone-agent'.repeat(4);
  const dataDir = join(folder, 'data');
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    AGENT_PORT: '0',
    AGENT_TOKEN: token,
    PROXY_MANAGED: 'true',
    PROXYFILE: join(beside, 'Caddyfile'),
    ACCESS_LOG: join(folder, 'logs', 'access.log'),
    ...(typeof more === 'function' ? more(beside) : more),
  };
  const { agent: settings } = readSettings('agent', env, machine);
  const lines: string[] = [];
  const beginHere = () =>
    serveAgent(
      settings,
      token,
      (...line) => void lines.push(JSON.stringify(line)),
      undefined,
      QUICK.agent,
    );
  async function beginApart() {
    const { PATH: _, ...rest } = env;
    const program = runProgram(['agent'], rest, folder);
    const end = async (signal: NodeJS.Signals) => {
      program.child.kill(signal);
      await program.exited();
    };
    const url = await program.address('agent');
    return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  }
  const begin = (): Promise<{ url: string; stop(): Promise<void>; kill?(): Promise<void> }> =>
    isApart ? beginApart() : beginHere();
  let running = await begin();
  const headers = { Authorization: `Bearer ${token}` };
  const { proxyfile } = settings.proxy;

  return {
    folder,
    dataDir,
    env,
    httpPort,
    httpsPort,
    proxyfile,
    /** Where it listens; changes with a restart. */
    url: () => running.url,
    /** With its token. */
    headers,
    /** Where it keeps them. */
    file: `${proxyfile}.certificates`,
    /** Its log. */
    lines,
    readProxyfile: () => readFileSync(proxyfile, 'utf8'),

    /** A Caddyfile that names these certificates. @param options of the global block */
    text: (chains: readonly Chain[], sites: string, options: readonly string[] = []) => {
      const ports = [`http_port ${httpPort}`, `https_port ${httpsPort}`, 'skip_install_trust'];
      return `${commentsOf(chains)}{\n\t${[...ports, ...options].join('\n\t')}\n}\n${sites}`;
    },

    /** @param sent with the text; by default none */
    reload: (
      proxyfile: string,
      sent?: readonly Pick<Chain, 'chain' | 'key'>[],
      also: object = {},
    ) =>
      ask<{ code?: string; message?: string }>(`${running.url}/proxy/reload`, {
        headers,
        json: {
          proxyfile,
          ...also,
          ...(sent && { certificates: sent.map(({ chain, key }) => ({ chain, key })) }),
        },
      }),

    /** Asks the agent for anything. */
    get: <T>(path: string, json?: object) =>
      ask<T>(`${running.url}${path}`, { headers, ...(json && { json }) }),
    status: async () => (await ask<ProxyStatus>(`${running.url}/proxy/status`, { headers })).body,

    presented: (name: string) => presented(httpsPort, name),

    /** Stops agent and Caddy, and starts both. @param meanwhile runs in between */
    async restart(meanwhile = () => {}) {
      await running.stop();
      meanwhile();
      running = await begin();
    },

    /** Kills the agent, and not Caddy, and starts it again. @param meanwhile runs in between */
    async kill(meanwhile = () => {}) {
      await running.kill?.();
      meanwhile();
      running = await begin();
    },

    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A site that answers with its name. @param lines of it besides */
export const siteOf = (name: string, ...lines: string[]): string =>
  `${name} {\n\t${[...lines, `respond "${name}"`].join('\n\t')}\n}\n`;
