/** An agent in this process that invites a hub, or was enrolled, with a Caddy of its own. */
import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentClient, createAgentClient } from '../../src/hub/agents/client.ts';
import { normalFingerprint } from '../../src/hub/agents/trust.ts';
import { keepCertificate } from '../../src/program/cli/new-certificate.ts';
import { readSettings } from '../../src/program/config.ts';
import { serveAgent } from '../../src/program/serve/agent.ts';
import type { Invitation } from '../../src/shared/invitation.ts';
import { QUICK } from './pace.ts';
import { ask, freePort, machine, temporaryFolder } from './stack.ts';

export type EnrollableAgent = Awaited<ReturnType<typeof startEnrollable>>;

/** What its hubs are called. */
export const HUBS = { first: 'a'.repeat(32), second: 'b'.repeat(32) };
export const tokenOf = (name: string): string => name.padEnd(43, '-');

/** @param more settings besides */
export async function startEnrollable(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const httpPort = freePort();
  const httpsPort = freePort();
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'data'),
    AGENT_PORT: '0',
    PROXY_MANAGED: 'true',
    PROXYFILE: join(folder, 'Caddyfile'),
    ACCESS_LOG: join(folder, 'access.log'),
    ...more,
  };
  const begin = (invites: boolean) => {
    const settings = readSettings('agent', env, machine, invites);
    return serveAgent(settings.agent, settings.token, () => {}, undefined, QUICK.agent);
  };
  await keepCertificate(env);
  let running = await begin(true);
  const certificate = new X509Certificate(machine.readFile(join(env.DATA_DIR, 'agent-cert.pem')));
  const fingerprint = normalFingerprint(certificate.fingerprint256) ?? '';

  return {
    folder,
    env,
    fingerprint,
    proxyfile: env.PROXYFILE,
    httpPort,
    httpsPort,
    readProxyfile: () => machine.readFile(env.PROXYFILE),
    get url() {
      return running.url;
    },
    get invitation(): Invitation {
      return { url: running.url, fingerprint, secret: running.secret ?? '' };
    },
    /** A hub's connection to it. */
    client: (token: string, hub = HUBS.first, term = 1): AgentClient =>
      createAgentClient({
        url: running.url,
        token: tokenOf(token),
        trust: { fingerprint },
        hub,
        term: () => term,
      }),
    /** A Caddyfile with one site, which answers `words`. */
    site: (words: string) => `http://a.example:${httpPort} {\n\trespond ${words}\n}\n`,
    served: async () =>
      (await ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: 'a.example' } })).text,
    stopOnly: () => running.stop(),
    async restart(invites = false) {
      await running.stop().catch(() => undefined);
      running = await begin(invites);
    },
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
