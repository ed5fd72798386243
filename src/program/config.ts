/** Reads the environment once, into frozen settings; reports everything wrong with it at once. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Limits } from '../../agent/logs/storage/keeper.ts';
import { type AgentTrust, normalFingerprint } from '../hub/agents/trust.ts';
import type { HubSettings } from '../hub/api/context.ts';
import { isName } from '../hub/model/agent.ts';
import { SHORTEST_TOKEN } from '../shared/bearer.ts';
import { LEVELS, type Level, LOG_FORMATS, type LogFormat } from '../shared/log.ts';
import type { Role } from '../shared/setting.ts';
import { isBelow, resolvePath } from '../shared/system/files.ts';
import { type AgentSettings, readEnrolment, readOwnTls } from './agent-settings.ts';
import { dataDirOf, hubSocket, socketIn } from './data-folder.ts';
import { enabledFeatures } from './enabled.ts';
import { type Env, givenIn, settings as table } from './settings.ts';
import { createReader, type SettingsReader } from './settings-reader.ts';

type LogSettings = Readonly<{ format: LogFormat; level: Level }>;

export type Settings = Readonly<{
  hub: HubSettings;
  agent: AgentSettings;
  log: LogSettings;
  /** Null in the one-machine mode, which generates one, and for an agent that has none. */
  token: string | null;
  /** One-machine mode: the ports for the first preamble; null: whichever are free. */
  firstPorts: Readonly<{ http: number | null; https: number | null }>;
}>;

/** The machine, as main.ts reaches it; tests pass their own. */
export type Machine = {
  /** @throws if it cannot be read */
  readFile: (path: string) => string;
  /** The absolute path of a program, or null. */
  which: (program: string) => string | null;
};

const FILES_OF_SECRETS = [
  ...table.flatMap(([name, { secret }]) => (secret ? [`${name}_FILE`] : [])),
  'AGENT_TLS_KEY',
  'PROXY_ENV_FILE',
];
/** Settings with a folder that is closed to sites. */
const BARRED = table.flatMap(([name, { isBarred }]) => (isBarred ? [name] : []));
/** The program: the project's folder, or the binary. */
const PROGRAM = Bun.main.startsWith('/$bunfs/')
  ? process.execPath
  : resolve(import.meta.dir, '../..');

/**
 * @param invites whether the agent is to invite a hub, and so needs no token
 * @throws SettingsError naming every setting that is wrong or missing
 */
export function readSettings(role: Role, env: Env, machine: Machine, invites = false): Settings {
  const dataDir = dataDirOf(env);
  const read = createReader(env, role, dataDir, machine.readFile);
  const managed = read.flag('PROXY_MANAGED');
  const runsAgent = role !== 'hub';

  const token = readToken(read, role);
  const { readFile } = machine;
  const enrolment = role === 'agent' ? readEnrolment(read, env, readFile, invites) : null;
  const tls = runsAgent ? readTls(read) : null;
  const bin = read.text('PROXY_BIN');
  const program = runsAgent ? machine.which(bin) : bin;
  if (program === null) {
    const install = 'install Caddy with: sudo apt-get install caddy';
    read.fault('PROXY_BIN', `names a program that was not found: "${bin}"; ${install}`);
  }
  const folder = join(dataDir, 'caddy');
  const proxyEnv = runsAgent ? read.envFile('PROXY_ENV_FILE') : {};
  const admin =
    managed && !read.has('PROXY_ADMIN')
      ? `unix/${socketIn(join(folder, 'run'), 'admin.sock')}`
      : read.text('PROXY_ADMIN');
  if (!/^(unix\/\/.+|[^\s/]+:\d+)$/.test(admin)) {
    read.fault('PROXY_ADMIN', 'must be host:port or unix//path');
  }
  const accessLog = read.path('ACCESS_LOG');
  const named = { PROXY_ADMIN: admin, ACCESS_LOG: accessLog };
  const misread = (['PROXY_ADMIN', 'ACCESS_LOG'] as const).find(
    (name) => runsAgent && /[{}]/.test(named[name]),
  );
  if (misread !== undefined) {
    const name = read.has(misread) ? misread : 'DATA_DIR';
    read.fault(name, 'must not contain { or }: Caddy would read a placeholder');
  }
  const proxyfile = read.path('PROXYFILE');
  const importDirs = read.folders('IMPORT_DIRS');
  const data = resolvePath(dataDir);
  if (importDirs.map(resolvePath).some((dir) => isBelow(dir, data) || isBelow(data, dir))) {
    read.fault('IMPORT_DIRS', 'must not contain DATA_DIR or a folder inside it');
  }
  // By their names: to resolve a folder on a disk that hangs would hang.
  const barred = BARRED.filter((name) => read.has(name));
  for (const name of barred) {
    const own = read.path(name);
    if (importDirs.some((dir) => isBelow(dir, own) || isBelow(own, dir))) {
      read.fault('IMPORT_DIRS', `must not contain ${name} or a folder inside it`);
    }
  }
  const origins = read.origins('HUB_ORIGINS');
  const features = enabledFeatures(env);
  const plans = features.flatMap(({ agent }) => (runsAgent && agent ? [agent(read)] : []));
  const agentUrl = role === 'hub' ? read.url('AGENT_URL') : '';

  const settings: Settings = {
    token,
    log: {
      format: read.oneOf('LOG_FORMAT', LOG_FORMATS),
      level: read.oneOf('LOG_LEVEL', LEVELS),
    },
    hub: {
      host: read.text('HUB_HOST'),
      port: read.port('HUB_PORT'),
      dataDir,
      socket: hubSocket(dataDir),
      signUp: role === 'agent' ? 'first' : read.oneOf('SIGN_UP', ['first', 'open', 'closed']),
      agentUrl,
      agentName: readName(read),
      agentTrust: role === 'hub' ? readTrust(read, agentUrl) : null,
      trustProxy: read.flag('TRUST_PROXY'),
      origins,
      hosts: origins.map((origin) => origin.replace(/^https?:\/\/|:(80|443)$/g, '')),
      importDirs,
      plans: features.flatMap(({ hub }) => (role !== 'agent' && hub ? [hub(read)] : [])),
    },
    agent: {
      host: read.text('AGENT_HOST'),
      port: read.port('AGENT_PORT'),
      tls: enrolment && !read.has('AGENT_TLS_CERT') ? readOwnTls(read, readFile) : tls,
      enrolment,
      upstreamProbe: read.flag('UPSTREAM_PROBE'),
      dataDir,
      plans,
      proxy: {
        bin: program ?? bin,
        proxyfile,
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
          file: accessLog,
          rollMb: read.count('ACCESS_LOG_ROLL_MB'),
          ...readLimits(read),
        },
        ownPaths: ownPaths(env, [
          dataDir,
          dirname(hubSocket(dataDir)),
          proxyfile,
          admin,
          ...plans.flatMap(({ ownPaths = [] }) => ownPaths),
        ]),
        barred: barred.map((name) => read.path(name)),
        importDirs,
        storage: read.has('PROXY_STORAGE') ? read.path('PROXY_STORAGE') : null,
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

/** Without any of them, the default number; the other two replace it. */
function readLimits(read: SettingsReader): Limits {
  const days = read.optionalCount('ACCESS_LOG_KEEP_DAYS');
  const megabytes = read.optionalCount('ACCESS_LOG_KEEP_MB');
  const isDefault = days === null && megabytes === null;
  const keep = isDefault || read.has('ACCESS_LOG_KEEP') ? read.count('ACCESS_LOG_KEEP') : null;
  return { keep, days, megabytes };
}

function readName(read: SettingsReader): string {
  const name = read.text('AGENT_NAME');
  if (!isName(name)) {
    read.fault('AGENT_NAME', 'must have 1 to 40 lower-case letters, digits and hyphens');
  }
  return name;
}

function readToken(read: SettingsReader, role: Role): string | null {
  const token = read.secret('AGENT_TOKEN');
  const isInFile = read.hasFile('AGENT_TOKEN');
  if (token === null) {
    if (role === 'hub' && !isInFile) {
      read.fault(
        'AGENT_TOKEN',
        'is required (or AGENT_TOKEN_FILE): hub and agent share this token',
      );
    }
    return null;
  }
  const [setting, subject] = isInFile
    ? ['AGENT_TOKEN_FILE', 'names a file whose token ']
    : ['AGENT_TOKEN', ''];
  if (token === '') {
    read.fault(setting, 'names an empty file');
  } else if (token.length < SHORTEST_TOKEN) {
    read.fault(setting, `${subject}must have at least ${SHORTEST_TOKEN} characters`);
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    read.fault(setting, `${subject}may contain only printable ASCII characters, and no spaces`);
  }
  return token;
}

function readTls(read: SettingsReader): AgentSettings['tls'] {
  const cert = read.file('AGENT_TLS_CERT');
  const key = read.file('AGENT_TLS_KEY');
  if (read.has('AGENT_TLS_CERT') !== read.has('AGENT_TLS_KEY')) {
    read.fault('AGENT_TLS_CERT', 'and AGENT_TLS_KEY must be set together');
  }
  return cert !== null && key !== null ? { cert, key } : null;
}

function readTrust(read: SettingsReader, url: string): AgentTrust | null {
  if (!read.has('AGENT_CA')) return null;
  if (!url.startsWith('https:')) read.fault('AGENT_CA', 'requires an https:// AGENT_URL');
  const fingerprint = normalFingerprint(read.text('AGENT_CA'));
  if (fingerprint !== null) return { fingerprint };
  const ca = read.file('AGENT_CA');
  if (ca !== null && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    read.fault('AGENT_CA', 'must be a certificate file (PEM) or a SHA-256 fingerprint');
  }
  return ca === null ? null : { ca };
}

/**
 * What a Caddy that shares the program's user must not touch: the data, the secrets, the settings, the
 * program, and what Linux shows of processes.
 * @param more paths, or the admin endpoint
 */
function ownPaths(env: Env, more: readonly string[]): string[] {
  const files = FILES_OF_SECRETS.flatMap((name) => givenIn(env, name) ?? []);
  return [
    ...more.map((path) => path.replace(/^unix\//, '')).filter(isAbsolute),
    ...files.map((path) => resolve(path)),
    '/proc',
    '/run/credentials',
    '/run/secrets',
    resolve('.env'),
    PROGRAM,
  ];
}
