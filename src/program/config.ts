/** The environment, read once into frozen settings; every fault is reported at the same time. */
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ProxySettings } from '../../agent/caddy/proxy.ts';
import { type AgentTrust, normalFingerprint } from '../hub/agent-client/trust.ts';
import type { SignUpPolicy } from '../hub/auth/service.ts';
import { LOG_FORMATS, type LogFormat } from '../shared/log.ts';
import { LEVELS, type Level } from '../shared/observe/log.ts';
import { createReader, type Env } from './settings-reader.ts';

export type Command = 'all' | 'hub' | 'agent';

export type HubSettings = Readonly<{
  host: string;
  port: number;
  dataDir: string;
  signUp: SignUpPolicy;
  agentUrl: string;
  /** Whose certificate the hub believes at an `https:` agent. */
  agentTrust: AgentTrust | null;
  trustProxy: boolean;
  /** Where somebody on this machine reaches the hub without a password. */
  socket: string;
  /** Milliseconds the hub waits for the agent; not a setting, tests shorten it. */
  agentDeadline?: number;
  /** The hosts the hub may be reached by, in normal form; empty: any. */
  hosts: readonly string[];
  /** Absolute folders whose files a config may import. */
  importDirs: readonly string[];
}>;

export type AgentSettings = Readonly<{
  host: string;
  port: number;
  /** Taken beside the token while hubs still use it. */
  previousToken: string | null;
  /** PEM texts; null where the agent speaks plain HTTP. */
  tls: Readonly<{ cert: string; key: string }> | null;
  proxy: ProxySettings;
}>;

export type LogSettings = Readonly<{ format: LogFormat; level: Level }>;

export type Settings = Readonly<{
  hub: HubSettings;
  agent: AgentSettings;
  log: LogSettings;
  /** Null only in the one-machine mode, which makes its own. */
  token: string | null;
  /** One-machine mode: the ports for the first preamble; null where they are to be tried out. */
  firstPorts: Readonly<{ http: number | null; https: number | null }>;
}>;

/** How main.ts reaches the machine: tests give their own. */
export type Machine = {
  /** @throws where it cannot be read */
  readFile: (path: string) => string;
  /** The absolute path of a program, or null. */
  which: (program: string) => string | null;
};

/** Enough for 128 bits even where it is only hexadecimal. */
const SHORTEST_TOKEN = 32;
/** sun_path holds 108 bytes (unix(7)); Caddy adds nothing, but some room is kept. */
const LONGEST_SOCKET = 100;

/** @throws SettingsError naming every setting that is wrong or missing */
export function readSettings(command: Command, env: Env, machine: Machine): Settings {
  const read = createReader(env, machine.readFile);
  const dataDir = dataDirOf(env);
  const managed = read.flag('PROXY_MANAGED', command === 'all');
  const runsAgent = command !== 'hub';
  const runsHub = command !== 'agent';

  const token = readToken(read, command);
  const bin = read.text('PROXY_BIN', 'caddy');
  const program = runsAgent ? machine.which(bin) : bin;
  if (program === null) {
    const install = 'install Caddy with: sudo apt-get install caddy';
    read.fault('PROXY_BIN', `there is no program "${bin}"; ${install}`);
  }
  const own = (name: string, otherwise: string) =>
    command === 'all' ? join(dataDir, name) : otherwise;
  const folder = join(dataDir, 'caddy');
  const proxyEnv = runsAgent ? read.envFile('PROXY_ENV_FILE') : {};
  const admin = read.text(
    'PROXY_ADMIN',
    managed ? `unix/${socketIn(folder, 'admin.sock')}` : 'localhost:2019',
  );
  if (!/^(unix\/\/.+|[^\s/]+:\d+)$/.test(admin)) {
    read.fault('PROXY_ADMIN', 'must be host:port or unix//path');
  }

  const importDirs = read.folders('IMPORT_DIRS');

  const agentUrl = command === 'hub' ? read.url('AGENT_URL', 'http://127.0.0.1:3002') : '';

  const settings: Settings = {
    token,
    log: {
      format: read.oneOf('LOG_FORMAT', LOG_FORMATS),
      level: read.oneOf('LOG_LEVEL', LEVELS, 'info'),
    },
    hub: {
      host: read.text('HUB_HOST', '127.0.0.1'),
      port: read.port('HUB_PORT', 3000),
      dataDir,
      socket: hubSocket(dataDir),
      signUp: runsHub ? read.oneOf('SIGN_UP', ['first', 'open', 'closed']) : 'first',
      agentUrl,
      agentTrust: command === 'hub' ? readTrust(read, agentUrl) : null,
      trustProxy: read.flag('TRUST_PROXY', false),
      hosts: read.hosts('HUB_ORIGINS'),
      importDirs,
    },
    agent: {
      host: read.text('AGENT_HOST', '127.0.0.1'),
      port: read.port('AGENT_PORT', 3002),
      previousToken: runsAgent ? checkToken(read, 'AGENT_TOKEN_PREVIOUS') : null,
      tls: runsAgent ? readTls(read) : null,
      proxy: {
        bin: program ?? bin,
        proxyfile: resolve(read.text('PROXYFILE', own('Caddyfile', '/etc/caddy/Caddyfile'))),
        admin,
        managed: managed ? { folder } : null,
        env: {
          PATH: env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
          ...proxyEnv,
          HOME: folder,
          XDG_DATA_HOME: join(folder, 'data'),
          XDG_CONFIG_HOME: join(folder, 'config'),
        },
        accessLog: {
          file: resolve(
            read.text('ACCESS_LOG', own('logs/access.log', '/var/log/caddy/access.log')),
          ),
          rollMb: read.count('ACCESS_LOG_ROLL_MB', 100),
          keep: read.count('ACCESS_LOG_KEEP', 10),
        },
        importDirs,
      },
    },
    firstPorts: {
      http: read.optionalPort('PROXY_HTTP_PORT'),
      https: read.optionalPort('PROXY_HTTPS_PORT'),
    },
  };
  read.finish();
  return Object.freeze(settings);
}

function readToken(read: ReturnType<typeof createReader>, command: Command): string | null {
  const token = checkToken(read, 'AGENT_TOKEN');
  if (token === null && command !== 'all') {
    read.fault('AGENT_TOKEN', 'is needed (or AGENT_TOKEN_FILE): the token hub and agent share');
  }
  return token;
}

function checkToken(read: ReturnType<typeof createReader>, name: string): string | null {
  const token = read.secret(name);
  if (token === null) return null;
  if (token.length < SHORTEST_TOKEN) {
    read.fault(name, `must have at least ${SHORTEST_TOKEN} characters`);
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    read.fault(name, 'may hold printable ASCII characters only, no spaces');
  }
  return token;
}

function readTls(read: ReturnType<typeof createReader>): AgentSettings['tls'] {
  const cert = read.file('AGENT_TLS_CERT');
  const key = read.file('AGENT_TLS_KEY');
  if (read.has('AGENT_TLS_CERT') !== read.has('AGENT_TLS_KEY')) {
    read.fault('AGENT_TLS_CERT', 'and AGENT_TLS_KEY go together');
  }
  return cert !== null && key !== null ? { cert, key } : null;
}

function readTrust(read: ReturnType<typeof createReader>, url: string): AgentTrust | null {
  const named = read.text('AGENT_CA', '');
  if (named === '') return null;
  if (!url.startsWith('https:')) read.fault('AGENT_CA', 'needs an https:// AGENT_URL');
  const fingerprint = normalFingerprint(named);
  if (fingerprint !== null) return { fingerprint };
  const ca = read.file('AGENT_CA');
  if (ca !== null && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    read.fault('AGENT_CA', 'must be a certificate’s file (PEM) or its SHA-256 fingerprint');
  }
  return ca === null ? null : { ca };
}

/** The absolute path of the data folder. */
export const dataDirOf = (env: Env): string => resolve(env.DATA_DIR?.trim() || './data');

/** Where the hub that uses `dataDir`, an absolute path, is reached from the same machine. */
export const hubSocket = (dataDir: string): string => socketIn(dataDir, 'hub.sock');

/** In the data folder, or, where that path is too long for a socket, in a short one of its own. */
function socketIn(folder: string, file: string): string {
  const path = join(folder, file);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  const name = new Bun.CryptoHasher('sha256').update(dirname(folder)).digest('hex').slice(0, 16);
  return join(tmpdir(), `signalbox-${name}`, file);
}
