/** All settings: the table that config.ts reads by, `--help` prints and the docs are tested against. */

export type Env = Readonly<Record<string, string | undefined>>;

/** What the program runs as; `all`: the one-machine mode, with hub, agent and Caddy. */
export const ROLES = ['hub', 'agent', 'all'] as const;
export type Role = (typeof ROLES)[number];

export type Setting = Readonly<{
  /** What applies while it is not set, as it would be written in the environment. */
  default: string | null;
  /** The default of the one-machine mode if it differs; `DATA_DIR/` stands for the data folder. */
  onOneMachine?: string;
  /** For `--help`: half a line, in lower case. */
  meaning: string;
  /** Never printed. NAME_FILE, with the path of a file that contains it, works too. */
  secret?: true;
  /** The roles that use it. */
  roles: readonly Role[];
}>;

const define = <Name extends string>(table: Readonly<Record<Name, Setting>>) => table;

const HUB: readonly Role[] = ['hub', 'all'];
const AGENT: readonly Role[] = ['agent', 'all'];

/** In the order of `--help`. */
export const SETTINGS = define({
  DATA_DIR: { default: './data', meaning: 'database, secrets, certificates', roles: ROLES },
  HUB_HOST: { default: '127.0.0.1', meaning: 'address the hub listens on', roles: HUB },
  HUB_PORT: { default: '3000', meaning: 'port the hub listens on; 0: any free one', roles: HUB },
  SIGN_UP: {
    default: 'first',
    meaning: 'who may sign up: first (only the first user), open (anyone), closed (nobody)',
    roles: HUB,
  },
  TRUST_PROXY: {
    default: 'false',
    meaning: 'take the client address from the last hop of X-Forwarded-For',
    roles: HUB,
  },
  HUB_ORIGINS: {
    default: null,
    meaning: 'origins or hosts the hub answers to, separated by commas; none: any',
    roles: HUB,
  },
  AGENT_URL: {
    default: 'http://127.0.0.1:3002',
    meaning: 'where the hub reaches the agent',
    roles: ['hub'],
  },
  AGENT_CA: {
    default: null,
    meaning: 'how the hub verifies the agent: a PEM file or a SHA-256 fingerprint',
    roles: ['hub'],
  },
  AGENT_TOKEN: {
    default: null,
    meaning: 'token that hub and agent share, 32+ characters; on one machine: generated',
    secret: true,
    roles: ROLES,
  },
  AGENT_TOKEN_PREVIOUS: {
    default: null,
    meaning: 'old token that the agent still accepts',
    secret: true,
    roles: AGENT,
  },
  AGENT_HOST: { default: '127.0.0.1', meaning: 'address the agent listens on', roles: AGENT },
  AGENT_PORT: {
    default: '3002',
    meaning: 'port the agent listens on; 0: any free one',
    roles: AGENT,
  },
  AGENT_TLS_CERT: {
    default: null,
    meaning: 'the agent’s TLS certificate, a PEM file',
    roles: AGENT,
  },
  AGENT_TLS_KEY: {
    default: null,
    meaning: 'the private key of that certificate, a PEM file',
    roles: AGENT,
  },
  PROXY_BIN: { default: 'caddy', meaning: 'the Caddy program, a name or a path', roles: AGENT },
  PROXYFILE: {
    default: '/etc/caddy/Caddyfile',
    onOneMachine: 'DATA_DIR/Caddyfile',
    meaning: 'the Caddyfile that the agent writes',
    roles: AGENT,
  },
  PROXY_ADMIN: {
    default: 'localhost:2019',
    meaning: 'Caddy’s admin endpoint, host:port or unix//path; if managed: a socket',
    roles: AGENT,
  },
  PROXY_MANAGED: {
    default: 'false',
    onOneMachine: 'true',
    meaning: 'whether the agent starts, restarts and stops Caddy itself',
    roles: AGENT,
  },
  PROXY_ENV_FILE: {
    default: null,
    meaning: 'file of NAME=value lines for Caddy’s environment',
    roles: AGENT,
  },
  PROXY_HTTP_PORT: {
    default: null,
    meaning: 'first HTTP port; if not set: 80, or 8080 unless 80 and 443 are available',
    roles: ['all'],
  },
  PROXY_HTTPS_PORT: {
    default: null,
    meaning: 'first HTTPS port; if not set: 443, or 8443 with 8080',
    roles: ['all'],
  },
  IMPORT_DIRS: {
    default: null,
    meaning: 'folders that sites may import files from, separated by colons',
    roles: ROLES,
  },
  ACCESS_LOG: {
    default: '/var/log/caddy/access.log',
    onOneMachine: 'DATA_DIR/logs/access.log',
    meaning: 'the access log that Caddy writes',
    roles: AGENT,
  },
  ACCESS_LOG_ROLL_MB: {
    default: '100',
    meaning: 'size in MB at which the access log is rotated',
    roles: AGENT,
  },
  ACCESS_LOG_KEEP: { default: '10', meaning: 'how many rotated access logs to keep', roles: AGENT },
  LOG_FORMAT: {
    default: 'logfmt',
    meaning: 'format of signalbox’s own log: logfmt or json',
    roles: ROLES,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: 'level of signalbox’s own log: debug, info, warn or error',
    roles: ROLES,
  },
});

export type SettingName = keyof typeof SETTINGS;

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
