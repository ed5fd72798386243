/** Starts all parts of the demo, the door last: nobody sees a home that is not furnished. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HubCore, HubPlan } from '../../../hub/core.ts';
import type { Cli } from '../../../program/cli/command.ts';
import { readSettings } from '../../../program/config.ts';
import { listen } from '../../../program/listen.ts';
import { serveAll } from '../../../program/serve/all.ts';
import { createLog, type Log } from '../../../shared/log.ts';
import { createDoor } from './door.ts';
import { type AskApi, dateBack, makeAccounts, publishAll } from './furnish.ts';
import { freePort, startServices } from './services.ts';
import { visitsBetween } from './visitors.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
/** How often those who came meanwhile are written to the access log. */
const VISITS_MS = 2_000;

/**
 * @param onEnd gets how to end each part that has begun, also if a later one does not
 * @returns the address of the dashboard
 * @throws Error; SettingsError if Caddy is missing
 */
export async function startDemo(
  place: { host: string; port: string },
  cli: Cli,
  onEnd: (end: () => unknown) => void,
): Promise<string> {
  process.umask(0o077);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-demo-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const { PATH, PROXY_BIN } = cli.env;
  const ports = { http: freePort(), https: freePort() };
  const env = {
    PATH,
    PROXY_BIN,
    DATA_DIR: folder,
    HUB_HOST: place.host,
    HUB_PORT: place.port,
    AGENT_PORT: '0',
    PROXY_HTTP_PORT: String(ports.http),
    PROXY_HTTPS_PORT: String(ports.https),
    LOG_LEVEL: 'error',
  };
  const { hub: front, ...settings } = readSettings('all', env, cli.machine);
  const log: Log = createLog(
    (line) => cli.err(`${line}\n`),
    () => new Date(),
    settings.log,
  );
  // Fails at once if it is taken.
  freePort(front.host, front.port);
  onEnd(guardFolder(folder, PATH));
  const services = startServices();
  onEnd(services.stop);
  const start = Date.now();
  onEnd(writeVisits(settings.agent.proxy.accessLog.file, start));

  const parts: HubCore[] = [];
  const seen: HubPlan = {
    load: async () => (core) => {
      parts.push(core);
      return {};
    },
  };
  // Answers to no other host, which only the door knows.
  const host = crypto.randomUUID();
  const hub = {
    ...front,
    host: '127.0.0.1',
    port: 0,
    hosts: [host],
    plans: [...front.plans, seen],
  };
  const running = await serveAll({ ...settings, hub }, log);
  onEnd(running.stop);
  const [core] = parts;
  if (core === undefined) throw new Error('the hub has not started');
  const { url } = running.hub;
  const { tokens, visitor } = await makeAccounts(core);
  const { ids, changes } = await publishAll(tokens, services.upstreams, ports, askAt(url, host));
  dateBack(core.db, ids, changes, start);
  services.fail();
  const door = createDoor({ url, host, session: visitor }, log);
  const listening = listen(door, { of: 'HUB', host: front.host, port: front.port });
  // Nothing is under way that a visitor would miss.
  onEnd(() => listening.stop(Number.POSITIVE_INFINITY));
  return listening.url;
}

/** @throws Error if it is refused */
const askAt =
  (url: string, host: string): AskApi =>
  async (token, { method, path, json }) => {
    const headers = { Host: host, Authorization: `Bearer ${token}` };
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await fetch(`${url}/api${path}`, { method, headers, body });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };

/** Writes a week of visits, and goes on. @returns ends it */
function writeVisits(file: string, start: number): () => void {
  mkdirSync(dirname(file), { recursive: true });
  let last = start - WEEK_MS;
  const write = (to: number) => {
    appendFileSync(file, visitsBetween(last, to, start));
    last = to;
  };
  write(start);
  const timer = setInterval(() => write(Date.now()), VISITS_MS);
  return () => clearInterval(timer);
}

/**
 * Kills what was started in the folder and removes it, should this process be killed: its end of the pipe is closed
 * then, however it ends. `grep` looks at all processes that there were before it.
 */
const GUARD = `trap '' INT TERM HUP; cat
for process in /proc/[0-9]*; do
  grep -qs "$FOLDER/" "$process/cmdline" && kill -9 "\${process#/proc/}"
done
rm -rf "$FOLDER"`;

/** @returns ends it */
function guardFolder(folder: string, path = ''): () => unknown {
  const guard = Bun.spawn(['sh', '-c', GUARD], {
    env: { PATH: path, FOLDER: folder },
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  return async () => {
    await guard.stdin.end();
    await guard.exited;
  };
}
