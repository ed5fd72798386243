/** Runs hub and agent as separate processes that can be killed, and reads all they keep. */
import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf, signalCaddies } from '../harness/caddys.ts';
import { countListeners } from '../harness/listeners.ts';
import { type Program, runProgram } from '../harness/program.ts';
import type { Random } from '../harness/random.ts';
import { ask, freePort, signUp, temporaryFolder, until } from '../harness/stack.ts';

export type Part = 'hub' | 'agent' | 'caddy';
export type World = Awaited<ReturnType<typeof createWorld>>;
/** A change that is sent with a key, and the status of its answer once it was made. */
export type Sent = { path: string; json: object; key: string; status: number };
type Answered = { status: number; text: string };

/** The contract's limit for database, file and proxy to agree again. */
const AGREE_MS = 5_000;

export async function createWorld() {
  const home = temporaryFolder();
  const dataDir = join(home, 'data');
  const proxyfile = join(home, 'Caddyfile');
  const ports = { hub: freePort(), agent: freePort(), http: freePort() };
  const env = {
    DATA_DIR: dataDir,
    AGENT_TOKEN: 'chaos'.repeat(8),
    HUB_PORT: String(ports.hub),
    AGENT_PORT: String(ports.agent),
    AGENT_URL: `http://127.0.0.1:${ports.agent}`,
    PROXY_MANAGED: 'true',
    PROXYFILE: proxyfile,
    ACCESS_LOG: join(home, 'access.log'),
  };
  const hub = `http://127.0.0.1:${ports.hub}/api`;
  const programs = new Map<'hub' | 'agent', Program>();

  async function start(part: 'hub' | 'agent'): Promise<void> {
    const program = runProgram([part], env, home);
    programs.set(part, program);
    await program.address(part);
  }

  await start('agent');
  await start('hub');
  const { headers } = await signUp({ hub });
  const fileIdentity = (): number => (existsSync(proxyfile) ? statSync(proxyfile).ino : 0);

  /** Null if nobody answered. */
  async function send({ path, json, key }: Sent): Promise<Answered | null> {
    const keyed = { ...headers, 'Idempotency-Key': key };
    const answer = await ask(`${hub}${path}`, { headers: keyed, json }).catch(() => null);
    return answer && { status: answer.status, text: answer.text };
  }

  return {
    hub,
    headers,
    httpPort: ports.http,
    candidate: `${proxyfile}.candidate`,
    fileIdentity,
    caddyLogSize: (): number => statSync(join(dataDir, 'caddy/caddy.log')).size,

    send,
    /** Sends it until it is accepted: while agent or proxy are away it is refused, and nothing is made. */
    async accepted(sent: Sent): Promise<Answered> {
      let last: Answered | null = null;
      await until(
        async () => {
          last = await send(sent);
          if (last !== null && last.status < 502 && last.status !== sent.status) {
            throw new Error(`${sent.path} ${sent.key}: ${last.status} ${last.text}`);
          }
          return last?.status === sent.status;
        },
        `the answer to ${sent.key}`,
        10_000,
      );
      return last as unknown as Answered;
    },

    /**
     * Waits for some instant of a publish, or every other time for one after the file was replaced.
     * @param times milliseconds that a publish takes, and those from the new file to the answer
     */
    async reach(kill: number, file: number, random: Random, times: [number, number]) {
      if (kill % 2 === 0) return void (await Bun.sleep(random.below(times[0])));
      await until(() => fileIdentity() !== file, 'the new file');
      await Bun.sleep(random.below(times[1]));
    },

    /** Stops it until it is killed. */
    freeze: (part: 'hub' | 'agent'): void => void programs.get(part)?.child.kill('SIGSTOP'),

    async kill(parts: readonly Part[]): Promise<void> {
      for (const part of parts) {
        if (part === 'caddy') signalCaddies(dataDir, 'SIGKILL');
        else programs.get(part)?.child.kill('SIGKILL');
      }
      for (const part of parts) if (part !== 'caddy') await programs.get(part)?.child.exited;
    },

    /** Restarts what was killed, except Caddy, which its agent restarts. */
    async revive(parts: readonly Part[]): Promise<void> {
      await Promise.all(parts.map((part) => (part === 'caddy' ? undefined : start(part))));
    },

    /** Waits until all agree, at most as long as the contract allows. @returns milliseconds */
    async agree(): Promise<number> {
      const from = performance.now();
      await until(
        async () => {
          const status = await ask<{ inStep: boolean }>(`${hub}/status`, { headers }).catch(
            () => null,
          );
          return status?.body.inStep;
        },
        'agreement of database, file and proxy',
        AGREE_MS,
      );
      return performance.now() - from;
    },

    /** What the database, the file on disk and the proxy have, separately. */
    async views(hosts: readonly string[]) {
      const db = new Database(join(dataDir, 'signalbox.db'), { readonly: true });
      const rows = db.query('SELECT domain, config, enabled, policies FROM vhosts').all() as {
        domain: string;
        config: string;
        enabled: number;
        policies: string;
      }[];
      const stored = db.query('SELECT "values" FROM policies').get() as { values: string } | null;
      const policy = stored ? (JSON.parse(stored.values) as { text: string }).text : '';
      const changes = (db.query('SELECT count(*) AS n FROM changelog').get() as { n: number }).n;
      db.close();
      const file = existsSync(proxyfile) ? readFileSync(proxyfile, 'utf8') : '';
      const served = new Map<string, string>();
      for (const host of hosts) {
        const url = `http://127.0.0.1:${ports.http}/`;
        const answer = await ask(url, { headers: { Host: host } }).catch(() => null);
        served.set(host, answer?.text ?? '');
      }
      return { rows, policy, changes, file, served };
    },

    proxies: (): number => caddiesOf(dataDir).length,
    listeners: (): number => countListeners(ports.http),

    async stop(): Promise<void> {
      for (const part of ['hub', 'agent'] as const) {
        programs.get(part)?.child.kill('SIGTERM');
        await programs.get(part)?.child.exited;
      }
      signalCaddies(dataDir, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
