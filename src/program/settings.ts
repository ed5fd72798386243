/** All settings: the table that config.ts reads by, `--help` prints and the docs are tested against. */

import { FEATURE_SETTINGS, type FeatureSetting } from '../features/settings.ts';
import { ROLES, type Role, type Setting } from '../shared/setting.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const used =
  (roles: readonly Role[]) =>
  (usual: string | null, meaning: string, more: Partial<Setting> = {}): Setting => ({
    default: usual,
    meaning,
    roles,
    ...more,
  });
const byAny = used(ROLES);
const byHub = used(['hub', 'all']);
const byAgent = used(['agent', 'all']);

const CORE = {
  DATA_DIR: byAny('./data', 'database, secrets, certificates', { isUsual: true }),
  HUB_HOST: byHub('127.0.0.1', 'address the hub listens on', { isUsual: true }),
  HUB_PORT: byHub('3000', 'port the hub listens on; 0: any free one', { isUsual: true }),
  SIGN_UP: byHub(
    'first',
    'who may sign up: first (the owner only), open (anyone) or closed (nobody)',
    { isUsual: true },
  ),
  TRUST_PROXY: byHub('false', 'take the client address from the last hop of X-Forwarded-For', {
    isUsual: true,
  }),
  HUB_ORIGINS: byHub(null, 'origins or hosts the hub answers to, separated by commas; none: any', {
    isUsual: true,
  }),
  AGENT_URL: used(['hub'])('http://127.0.0.1:3002', 'where the hub reaches the agent', {
    isUsual: true,
  }),
  AGENT_NAME: byHub('local', 'name of that agent, among several'),
  AGENT_CA: used(['hub'])(
    null,
    'how the hub verifies the agent: a PEM file or a SHA-256 fingerprint',
  ),
  AGENT_TOKEN: byAny(
    null,
    'token that hub and agent share, 32+ characters; on one machine: generated',
    { secret: true },
  ),
  AGENT_HOST: byAgent('127.0.0.1', 'address the agent listens on'),
  AGENT_PORT: byAgent('3002', 'port the agent listens on; 0: any free one'),
  AGENT_TLS_CERT: byAgent(null, 'the agent’s TLS certificate, a PEM file'),
  AGENT_TLS_KEY: byAgent(null, 'the private key of that certificate, a PEM file'),
  PROXY_BIN: byAgent('caddy', 'the Caddy program, a name or a path'),
  PROXYFILE: byAgent('/etc/caddy/Caddyfile', 'the Caddyfile that the agent writes', {
    onOneMachine: 'DATA_DIR/Caddyfile',
  }),
  PROXY_ADMIN: byAgent(
    'localhost:2019',
    'Caddy’s admin endpoint, host:port or unix//path; if managed: a socket',
  ),
  PROXY_MANAGED: byAgent('false', 'whether the agent starts, restarts and stops Caddy itself', {
    onOneMachine: 'true',
  }),
  PROXY_ENV_FILE: byAgent(null, 'file of NAME=value lines for Caddy’s environment'),
  PROXY_STORAGE: byAgent(null, 'folder for certificates that several Caddys share'),
  PROXY_HTTP_PORT: used(['all'])(
    null,
    'HTTP port at the first start; 80, or from 8080 on if 80 or 443 is taken',
    { isUsual: true },
  ),
  PROXY_HTTPS_PORT: used(['all'])(
    null,
    'HTTPS port at the first start; 443, or from 8443 on if 80 or 443 is taken',
    { isUsual: true },
  ),
  IMPORT_DIRS: byAny(null, 'folders that sites may import files from, separated by colons'),
  ACCESS_LOG: byAgent('/var/log/caddy/access.log', 'the access log that Caddy writes', {
    onOneMachine: 'DATA_DIR/logs/access.log',
  }),
  ACCESS_LOG_ROLL_MB: byAgent('100', 'size in MB at which the access log is rotated'),
  ACCESS_LOG_KEEP: byAgent(
    '10',
    'how many rotated access logs to keep; all if only the other limits are set',
  ),
  ACCESS_LOG_KEEP_DAYS: byAgent(null, 'how many days to keep rotated access logs', {
    isUsual: true,
  }),
  ACCESS_LOG_KEEP_MB: byAgent(
    null,
    'size in MB of all access logs as stored; oldest deleted first',
  ),
  UPSTREAM_PROBE: byAgent('true', 'whether the agent probes upstreams'),
  LOG_FORMAT: byAny('logfmt', 'format of signalbox’s own log: logfmt or json'),
  LOG_LEVEL: byAny('info', 'level of signalbox’s own log: debug, info, warn or error'),
};

export type SettingName = keyof typeof CORE | FeatureSetting;

/** In the order of `--help`. */
export const SETTINGS = Object.fromEntries(
  Object.entries(CORE).flatMap((row) => [row, ...Object.entries(FEATURE_SETTINGS[row[0]] ?? {})]),
) as Readonly<Record<SettingName, Setting>>;

/** The table's rows as a list. */
export const settings: readonly (readonly [SettingName, Setting])[] = Object.entries(SETTINGS) as [
  SettingName,
  Setting,
][];

/** All variables the program reads: each setting, and the `_FILE` of each secret. */
export const VARIABLES: readonly string[] = settings.flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
);

/** A setting's text, trimmed; undefined if it is not set or blank. */
export const givenIn = (env: Env, name: string): string | undefined =>
  env[name]?.trim() || undefined;

/** A setting's text, or its default, `''` if there is neither. */
export const valueIn = (env: Env, name: SettingName): string =>
  givenIn(env, name) ?? SETTINGS[name].default ?? '';
