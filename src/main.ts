/** The program's entry: argv and environment in, processes out; the only file that exits. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { logContext } from '../agent/observe/context.ts';
import { version } from '../package.json';
import { type Command, hubSocket, type Machine, readSettings, type Settings } from './config.ts';
import { openBeside } from './db/open.ts';
import { importCommand } from './import-command.ts';
import type { Running } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { newCertificate } from './new-certificate.ts';
import { generatePassword, readSecretLine, resetPassword } from './passwd.ts';
import { type HubRunning, serveAgent, serveAll, serveHub } from './serve.ts';
import { SettingsError } from './settings-reader.ts';
import { USAGE } from './usage.ts';

const machine: Machine = {
  readFile: (path) => readFileSync(path, 'utf8'),
  which: (program) => Bun.which(program),
};
async function run(command: Command): Promise<void> {
  let stop: () => Promise<void>;
  let log: Log;
  try {
    const settings = readSettings(command, process.env, machine);
    log = createLog(
      (line) => process.stderr.write(`${line}\n`),
      () => new Date(),
      { ...settings.log, context: logContext },
    );
    stop = await start(command, settings, log);
  } catch (error) {
    const known = error instanceof SettingsError;
    process.stderr.write(`${known ? '' : 'signalbox cannot start: '}${messageOf(error)}\n`);
    process.exit(1);
  }
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      log('stopping', { signal });
      stop().then(
        () => process.exit(0),
        (error) => {
          log('stop failed', { reason: messageOf(error) }, 'error');
          process.exit(1);
        },
      );
    });
  }
}

async function start(command: Command, settings: Settings, log: Log): Promise<() => Promise<void>> {
  const token = settings.token ?? '';
  if (command === 'all') {
    const all = await serveAll(settings, log);
    announce('hub', all.hub);
    announce('agent', all.agent);
    welcome(all.hub);
    return all.stop;
  }
  if (command === 'agent') {
    const agent = await serveAgent(settings.agent, token, log);
    announce(command, agent);
    return agent.stop;
  }
  const hub = await serveHub(settings.hub, token, log);
  announce(command, hub);
  welcome(hub);
  return hub.stop;
}

const announce = (name: string, running: Running) =>
  console.log(`${name} listening on ${running.url}`);

/** Says how the first account is made, where there is none. */
function welcome({ url, setupCode, loopback }: HubRunning): void {
  if (setupCode === null) return;
  const code = loopback ? '' : `,"setupCode":"${setupCode}"`;
  console.log(`
The first sign-up makes the owner of this hub:

  curl ${url}/api/auth/sign-up/email -H 'Content-Type: application/json' \\
    -d '{"name":"Ada","email":"ada@example.org","password":"a long passphrase"${code}}'
${loopback ? `\nThrough a proxy it needs "setupCode":"${setupCode}" as well.\n` : ''}`);
}

/** Asks where the settings say it listens; a host that means "everywhere" is asked on loopback. */
async function isHealthy(which: 'hub' | 'agent'): Promise<boolean> {
  const name = which.toUpperCase();
  const host = process.env[`${name}_HOST`] || '127.0.0.1';
  const port = process.env[`${name}_PORT`] || (which === 'hub' ? '3000' : '3002');
  const near = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = near.includes(':') ? `[${near}]` : near;
  // Its certificate may name anything here: nothing secret is said.
  const encrypted = which === 'agent' && Boolean(process.env.AGENT_TLS_CERT);
  const scheme = encrypted ? 'https' : 'http';
  const path = which === 'hub' ? '/api/health' : '/health';
  try {
    const signal = AbortSignal.timeout(5_000);
    return (
      await fetch(`${scheme}://${address}:${port}${path}`, {
        signal,
        tls: { rejectUnauthorized: false },
      })
    ).ok;
  } catch {
    return false;
  }
}

/** Writes a certificate for the agent where its settings look for one. */
async function writeCertificate(): Promise<number> {
  const folder = resolve(process.env.DATA_DIR?.trim() || './data');
  const cert = resolve(process.env.AGENT_TLS_CERT?.trim() || join(folder, 'agent-cert.pem'));
  const key = resolve(process.env.AGENT_TLS_KEY?.trim() || join(folder, 'agent-key.pem'));
  try {
    const names = [hostname(), 'localhost', process.env.AGENT_HOST?.trim() || '127.0.0.1'];
    const { fingerprint } = await newCertificate({ cert, key, names, now: new Date() });
    console.log(`AGENT_TLS_CERT=${cert}\nAGENT_TLS_KEY=${key}`);
    console.log(`\nFor the hub:\nAGENT_CA=${fingerprint}`);
    return 0;
  } catch (error) {
    process.stderr.write(`signalbox agent --new-cert: ${messageOf(error)}\n`);
    return 1;
  }
}

/** A new password from standard input, or a generated one where nothing is given. */
async function setPassword(email: string): Promise<number> {
  try {
    const { db, close } = openBeside(resolve(process.env.DATA_DIR?.trim() || './data'));
    try {
      const given = await readSecretLine('New password (empty: make one): ');
      if (given === null) return 1;
      const password = given === '' ? generatePassword() : given;
      await resetPassword(db, email, password, new Date());
      console.log(given === '' ? `The new password is ${password}` : 'The password is changed.');
      return 0;
    } finally {
      close();
    }
  } catch (error) {
    process.stderr.write(`signalbox passwd: ${messageOf(error)}\n`);
    return 1;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const words = process.argv.slice(2);
const [word, extra, ...more] = words;
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(USAGE);
} else if (word === '--version' || word === '-v') {
  console.log(version);
} else if (word === 'health' && (extra ?? 'hub') in { hub: 1, agent: 1 } && more.length === 0) {
  process.exitCode = (await isHealthy(extra === 'agent' ? 'agent' : 'hub')) ? 0 : 1;
} else if (word === 'agent' && extra === '--new-cert' && more.length === 0) {
  process.exitCode = await writeCertificate();
} else if (
  word === 'import' &&
  extra !== undefined &&
  (more.join() || '--dry-run') === '--dry-run'
) {
  process.exitCode = await importCommand(extra, more.length > 0, {
    socket: hubSocket(resolve(process.env.DATA_DIR || './data')),
    read: (file) => (file === '-' ? Bun.stdin.text() : Bun.file(file).text()),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
} else if (word === 'passwd' && extra !== undefined && more.length === 0) {
  process.exitCode = await setPassword(extra);
} else if (word === undefined || ((word === 'hub' || word === 'agent') && extra === undefined)) {
  await run(word ?? 'all');
} else {
  process.stderr.write(`${USAGE}\nsignalbox: unknown: ${words.join(' ')}\n`);
  process.exitCode = 2;
}
