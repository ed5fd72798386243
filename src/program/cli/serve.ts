/** `signalbox`, `signalbox hub`, `signalbox agent`: what stays until it is told to stop. */

import { createLog, type Log } from '../../shared/log.ts';
import { logContext } from '../../shared/observe/context.ts';
import { type Command as Part, readSettings, type Settings } from '../config.ts';
import type { Running } from '../listen.ts';
import type { HubRunning } from '../serve/part.ts';
import { SettingsError } from '../settings-reader.ts';
import { sendDatagram } from '../systemd/datagram.ts';
import { createServiceManager } from '../systemd/service-manager.ts';
import { type Cli, type Command, EXIT, messageOf } from './command.ts';
import { writeCertificate } from './new-cert.ts';

export const all: Command = {
  name: '',
  args: [],
  options: {},
  summary: 'hub, agent and Caddy on one machine',
  help: 'Keeps everything below DATA_DIR, and runs a Caddy of its own.\n',
  serves: true,
  run: (_given, cli) => serve('all', cli),
};

export const hub: Command = {
  name: 'hub',
  args: [],
  options: {},
  summary: 'the hub alone: API, accounts, virtual hosts',
  help: `Needs AGENT_TOKEN (or AGENT_TOKEN_FILE), and AGENT_URL where the agent is not on this machine.
`,
  serves: true,
  run: (_given, cli) => serve('hub', cli),
};

export const agent: Command = {
  name: 'agent',
  args: [],
  options: {
    'new-cert': { summary: 'make a certificate for the agent, print its fingerprint, and end' },
  },
  summary: 'the agent alone, beside a Caddy',
  help: `Runs beside a Caddy that something else runs, or, with PROXY_MANAGED=true, one of its own. It
must be able to write the PROXYFILE and its folder, to read the ACCESS_LOG, and needs AGENT_TOKEN
(or AGENT_TOKEN_FILE).
`,
  serves: true,
  run: (given, cli) => (given.has('new-cert') ? writeCertificate(cli) : serve('agent', cli)),
};

async function serve(part: Part, cli: Cli): Promise<number> {
  let log: Log;
  let manager: ReturnType<typeof createServiceManager>;
  let stop: () => Promise<void>;
  try {
    const settings = readSettings(part, cli.env, cli.machine);
    log = createLog(
      (line) => cli.err(`${line}\n`),
      () => new Date(),
      { ...settings.log, context: logContext },
    );
    manager = createServiceManager({ env: cli.env, pid: process.pid, send: sendDatagram, log });
    stop = await start(part, settings, log, cli);
    manager.ready('serving');
  } catch (error) {
    const known = error instanceof SettingsError;
    cli.fail(`${known ? '' : 'signalbox cannot start: '}${messageOf(error)}`);
    return EXIT.failed;
  }
  log('stopping', { signal: await cli.stopSignal() });
  manager.stopping();
  try {
    await stop();
    return EXIT.done;
  } catch (error) {
    log('stop failed', { reason: messageOf(error) }, 'error');
    return EXIT.failed;
  } finally {
    manager.close();
  }
}

async function start(
  part: Part,
  settings: Settings,
  log: Log,
  cli: Cli,
): Promise<() => Promise<void>> {
  // Loaded here: the small commands need none of it.
  const { serveAgent, serveAll, serveHub } = await import('../serve/serve.ts');
  const token = settings.token ?? '';
  const { bar, end } = cli.progress;
  const indexing = {
    onIndexing: (done: number, total: number) => bar('indexing the access log', done, total),
    over: end,
  };
  if (part === 'all') {
    const running = await serveAll(settings, log, indexing);
    announce('hub', running.hub, cli);
    announce('agent', running.agent, cli);
    welcome(running.hub, cli);
    return running.stop;
  }
  if (part === 'agent') {
    const running = await serveAgent(settings.agent, token, log, indexing);
    announce(part, running, cli);
    return running.stop;
  }
  const running = await serveHub(settings.hub, token, log);
  announce(part, running, cli);
  welcome(running, cli);
  return running.stop;
}

const announce = (name: string, running: Running, { out, paint }: Cli) =>
  out(`${paint.green(name)} listening on ${paint.bold(running.url)}\n`);

/** Says how the first account is made, where there is none. */
function welcome({ url, setupCode, loopback }: HubRunning, { out }: Cli): void {
  if (setupCode === null) return;
  const code = loopback ? '' : `,"setupCode":"${setupCode}"`;
  out(`
The first sign-up makes the owner of this hub: open ${url} in a browser, or

  curl ${url}/api/auth/sign-up/email -H 'Content-Type: application/json' \\
    -d '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"${code}}'
${loopback ? `\nThrough a proxy it needs "setupCode":"${setupCode}" as well.\n` : ''}
`);
}
