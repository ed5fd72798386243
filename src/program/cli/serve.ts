/** `signalbox`, `signalbox hub`, `signalbox agent`: the commands that run until they are stopped. */
import { messageOf, within } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import { createLog } from '../../shared/log.ts';
import { logContext } from '../../shared/observe/requests.ts';
import type { Role } from '../../shared/setting.ts';
import { visible } from '../../shared/visible.ts';
import { readSettings, type Settings } from '../config.ts';
import { dataDirOf } from '../data-folder.ts';
import type { Stop } from '../listen.ts';
import { endRestart, nextEnvironment, RESTART_SIGNAL, refuseRestart } from '../restart.ts';
import { type Reach, reachOf } from '../serve/reach.ts';
import type { RunningHub } from '../serve/running.ts';
import { SettingsError } from '../settings-reader.ts';
import {
  createServiceManager,
  type ServiceManager,
  sendDatagram,
} from '../systemd/service-manager.ts';
import { type Cli, type Command, EXIT } from './command.ts';
import { type Invite, inviteIn, printInvitation } from './invite.ts';
import { keepCertificate } from './new-certificate.ts';

const all: Command = {
  name: '',
  args: [],
  options: {},
  summary: 'run hub, agent and Caddy on one machine',
  help: 'Starts a separate Caddy and keeps everything below DATA_DIR.\n',
  role: 'all',
  run: (_given, cli) => serve('all', cli),
};

const hub: Command = {
  name: 'hub',
  args: [],
  options: {},
  summary: 'run the hub: API, dashboard, accounts, sites',
  help: `Requires AGENT_TOKEN (or AGENT_TOKEN_FILE), and AGENT_URL if the agent runs on another machine.
`,
  role: 'hub',
  run: (_given, cli) => serve('hub', cli),
};

const agent: Command = {
  name: 'agent',
  args: [{ name: 'URL', optional: true }],
  options: {
    invite: {
      summary: 'also print an invitation; URL is where the hub can reach this agent',
    },
  },
  summary: 'run the agent, beside Caddy',
  help: `Works with a Caddy that is already running (under systemd, in a container) or, with
PROXY_MANAGED=true, starts its own; then set PROXYFILE and ACCESS_LOG as well, because their
defaults are the files of Debian's Caddy. Requires write access to the PROXYFILE and its folder,
read access to the ACCESS_LOG and, unless it is enrolled, AGENT_TOKEN (or AGENT_TOKEN_FILE).

To enrol it, start it with --invite instead: it prints one line to paste into a hub, valid once, for
ten minutes, and serves. It creates a certificate in DATA_DIR unless AGENT_TLS_CERT is set. Once
enrolled, start it without --invite. Give a URL, such as https://vps.example:3002, if the hub cannot
use AGENT_HOST and AGENT_PORT. An agent that is already enrolled obeys its hub until the invitation
is used.
`,
  role: 'agent',
  async run(given, cli) {
    let invite: Invite | null;
    try {
      invite = inviteIn(given, given.args[0]);
    } catch (error) {
      cli.fail(`signalbox agent: ${messageOf(error)}`);
      return EXIT.usage;
    }
    return serve('agent', cli, invite);
  },
};

/** In the order of `--help`. */
export const SERVING: readonly Command[] = [all, hub, agent];

async function serve(role: Role, cli: Cli, invite: Invite | null = null): Promise<number> {
  let log: Log;
  let manager: ServiceManager;
  let stop: Stop;
  // From here on, a signal waits for the start to complete: a Caddy that is being started must be stopped too.
  const stopped = cli.stopSignal();
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  const restarted = new Promise<string>((resolve) => {
    cli.onRestartSignal(() => {
      const refusal = refuseRestart({ role, ...cli });
      if (refusal === null) resolve(RESTART_SIGNAL);
      else cli.fail(`signalbox does not restart: ${refusal}`);
    });
  });
  try {
    if (invite) await keepCertificate(cli.env);
    const settings = readSettings(role, cli.env, cli.machine, invite !== null);
    // Beside another program's Caddy, the agent writes only the Caddyfile, which that one has to read.
    if (role === 'hub' || settings.agent.proxy.managed !== null) process.umask(0o077);
    log = createLog(
      (line) => cli.err(`${line}\n`),
      () => new Date(),
      { ...settings.log, context: logContext },
    );
    manager = createServiceManager(cli.env, process.pid, sendDatagram, log);
    stop = await start(role, settings, log, cli, invite);
    manager.ready('serving');
    endRestart(dataDirOf(cli.env));
  } catch (error) {
    const isOfSettings = error instanceof SettingsError;
    cli.fail(`${isOfSettings ? '' : 'signalbox cannot start: '}${messageOf(error)}`);
    return EXIT.failed;
  }
  const signal = await Promise.race([stopped, restarted]);
  log(signal === RESTART_SIGNAL ? 'restarting' : 'stopping', { signal });
  if (isStopped) manager.stopping();
  try {
    await stop(() => !isStopped);
    if (isStopped) return EXIT.done;
    const next = nextEnvironment(dataDirOf(cli.env), cli.ownEnv);
    return cli.replaceProgram(next, role === 'all' ? [] : [role]);
  } catch (error) {
    log('stop failed', { reason: messageOf(error) }, 'error');
    return EXIT.failed;
  } finally {
    manager.end();
  }
}

async function start(
  role: Role,
  settings: Settings,
  log: Log,
  cli: Cli,
  invite: Invite | null,
): Promise<Stop> {
  const token = settings.token ?? '';
  const { bar, end } = cli.progress;
  const indexing = {
    onIndexing: (done: number, total: number) => bar('indexing the access log', done, total),
    over: end,
  };
  // Loaded here: the small commands need none of it, and an agent needs nothing of the hub.
  if (role === 'agent') {
    const { serveAgent } = await import('../serve/agent.ts');
    const running = await serveAgent(settings.agent, settings.token, log, indexing);
    const addresses = invite ? await cli.host.addresses() : [];
    announce(role, running.url, cli);
    if (invite) printInvitation(invite, running, settings.agent.tls, addresses, cli);
    return running.stop;
  }
  if (role === 'all') {
    const { serveAll } = await import('../serve/all.ts');
    const running = await serveAll(settings, log, indexing);
    const places = await placesOf(running.hub);
    const reach = await reachOfHub(running.hub, cli);
    announce('hub', reach.here, cli);
    announce('agent', running.agent.url, cli);
    orient(running.hub, places, reach, cli);
    return running.stop;
  }
  const { serveHub } = await import('../serve/serve.ts');
  const running = await serveHub(settings.hub, token, log);
  const places = await placesOf(running);
  const reach = await reachOfHub(running, cli);
  announce(role, reach.here, cli);
  orient(running, places, reach, cli);
  return running.stop;
}

const reachOfHub = async ({ url }: RunningHub, { host }: Cli): Promise<Reach> =>
  reachOf(url, await host.addresses(), host.isContainer);

function announce(name: string, url: string, { out, paint }: Cli): void {
  out(`${paint.green(name)} listening on ${paint.bold(url)}\n`);
}

/** The agent may be away, or start later than the hub. */
const SERVING_TIMEOUT_MS = 1_000;

/** Where Caddy listens, in lines; none if that cannot be known soon. */
async function placesOf(hub: RunningHub): Promise<string[]> {
  const serving = await within(hub.serving(), SERVING_TIMEOUT_MS, () => null);
  if (serving === null) return [];
  const { linesOf } = await import('../../hub/publish/serving.ts');
  return linesOf(serving);
}

/** Says where Caddy listens, how to reach the dashboard, and how to create the first account. */
function orient(hub: RunningHub, places: string[], { desk, lines }: Reach, cli: Cli): void {
  for (const line of [...places, ...lines]) cli.out(`${visible(line)}\n`);
  welcome(hub, desk, cli);
}

/** Explains how to create the first account, if there is none. */
function welcome({ setupCode }: RunningHub, url: string, { out }: Cli): void {
  if (setupCode === null) return;
  out(`
There is no account yet; the first sign-up creates the owner. Open this link in a browser:

  ${url}/#setup=${setupCode}

Or run

  curl ${url}/api/auth/sign-up/email -H 'Content-Type: application/json' \\
    -d '{"name":"Ada","email":"ada@example.org","password":"a long passphrase","setupCode":"${setupCode}"}'

`);
}
