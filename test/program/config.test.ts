/** How settings are read: faults, defaults, and what Caddy gets of them. */
import { describe, expect, test } from 'bun:test';
import { readSettings } from '../../src/program/config.ts';
import { settings } from '../../src/program/settings.ts';
import type { Role } from '../../src/shared/setting.ts';
import { words } from '../harness/words.ts';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz0123456789';
const OIDC = { OIDC_ISSUER: 'https://id.example/realms/home/', OIDC_CLIENT_ID: 'box' };
const files: Record<string, string> = {
  '/run/token': `${TOKEN}\n`,
  '/etc/empty': '\n',
  '/etc/cut': 'abcdefghij',
  '/etc/nul': '\0'.repeat(44),
  '/etc/proxy.env':
    '# comment\n\nKEY=value with spaces\nexport QUOTED="a=b"\nSINGLE=\'x\'\nEMPTY=\n',
  '/etc/headers': 'Authorization: Bearer hush\n',
  '/etc/bad.env': 'GOOD=1\nnot a pair, hush\n1BAD=x\n',
};
const machine = {
  readFile: (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('ENOENT');
    return text;
  },
  which: (program: string) => (program === 'caddy' ? '/usr/bin/caddy' : null),
};
const read = (role: Role, env: Record<string, string> = {}) => readSettings(role, env, machine);

describe('wrong settings', () => {
  test.each<[Role, Record<string, string>, string[]]>([
    ['hub', {}, ['AGENT_TOKEN']],
    ['agent', {}, ['AGENT_TOKEN']],
    ['hub', { AGENT_TOKEN: 'short' }, ['AGENT_TOKEN']],
    ['hub', { AGENT_TOKEN: `${TOKEN} with space` }, ['AGENT_TOKEN']],
    ['hub', { AGENT_TOKEN_FILE: '/nowhere' }, ['AGENT_TOKEN_FILE']],
    ['hub', { AGENT_TOKEN_FILE: '/etc/empty' }, ['AGENT_TOKEN_FILE']],
    ['agent', { AGENT_TOKEN_FILE: '/etc/cut' }, ['AGENT_TOKEN_FILE']],
    ['agent', { AGENT_TOKEN_FILE: '/etc/nul' }, ['AGENT_TOKEN_FILE']],
    ['all', { AGENT_TOKEN_FILE: '/etc/empty' }, ['AGENT_TOKEN_FILE']],
    ['all', { AGENT_TOKEN: 'short' }, ['AGENT_TOKEN']],
    ['all', { HUB_PORT: '65536', AGENT_PORT: 'x' }, ['HUB_PORT', 'AGENT_PORT']],
    ['all', { HUB_PORT: '-1', PROXY_HTTP_PORT: '0' }, ['HUB_PORT', 'PROXY_HTTP_PORT']],
    ['all', { SIGN_UP: 'maybe', TRUST_PROXY: 'yes' }, ['SIGN_UP', 'TRUST_PROXY']],
    ['all', { LOG_FORMAT: 'pretty', LOG_LEVEL: 'trace' }, ['LOG_FORMAT', 'LOG_LEVEL']],
    ['hub', { AGENT_TOKEN: TOKEN, AGENT_URL: 'ftp://x' }, ['AGENT_URL']],
    ['agent', { AGENT_TOKEN: TOKEN, AGENT_TLS_CERT: '/run/token' }, ['AGENT_TLS_CERT']],
    [
      'agent',
      { AGENT_TOKEN: TOKEN, AGENT_TLS_CERT: '/no', AGENT_TLS_KEY: '/no' },
      ['AGENT_TLS_CERT', 'AGENT_TLS_KEY'],
    ],
    ['hub', { AGENT_TOKEN: TOKEN, AGENT_CA: '0'.repeat(64) }, ['AGENT_CA']],
    ['hub', { AGENT_TOKEN: TOKEN, AGENT_URL: 'https://a', AGENT_CA: '/run/token' }, ['AGENT_CA']],
    ['hub', { AGENT_TOKEN: TOKEN, AGENT_URL: 'https://a', AGENT_CA: '/nowhere' }, ['AGENT_CA']],
    ['all', { ACME_DIRECTORY: 'http://acme.example/directory' }, ['ACME_DIRECTORY']],
    ['all', { ACME_DIRECTORY: 'acme.example' }, ['ACME_DIRECTORY']],
    ['all', { ACME_DIRECTORY: 'https://ada:pw@acme.example/' }, ['ACME_DIRECTORY']],
    ['all', { ACME_ROOTS_FILE: '/nonexistent' }, ['ACME_ROOTS_FILE']],
    ['all', { ACME_ROOTS_FILE: '/etc/hostname' }, ['ACME_ROOTS_FILE']],
    ['all', { IMPORT_DIRS: '/srv/sites:relative' }, ['IMPORT_DIRS']],
    ['all', { IMPORT_DIRS: '/srv/..' }, ['IMPORT_DIRS']],
    ['all', { IMPORT_DIRS: '/srv', DATA_DIR: '/srv/box' }, ['IMPORT_DIRS']],
    ['all', { IMPORT_DIRS: '/srv/box/sites', DATA_DIR: '/srv/box' }, ['IMPORT_DIRS']],
    ['hub', { AGENT_TOKEN: TOKEN, HUB_ORIGINS: 'https://a.example/path' }, ['HUB_ORIGINS']],
    ['all', { OIDC_NAME: 'Home' }, ['OIDC_ISSUER', 'OIDC_CLIENT_ID']],
    ['all', { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'x' }, ['OIDC_ISSUER']],
    ['all', { OIDC_ISSUER: 'id.example', OIDC_CLIENT_ID: 'x' }, ['OIDC_ISSUER']],
    ['all', { OIDC_ISSUER: 'ftp://localhost', OIDC_CLIENT_ID: 'x' }, ['OIDC_ISSUER']],
    ['all', { OIDC_ISSUER: 'https://u:hush@id.example', OIDC_CLIENT_ID: 'x' }, ['OIDC_ISSUER']],
    ['all', { OIDC_ISSUER: 'https://id.example/?x=1', OIDC_CLIENT_ID: 'x' }, ['OIDC_ISSUER']],
    [
      'all',
      { OIDC_ISSUER: 'https://id.example/.well-known/openid-configuration', OIDC_CLIENT_ID: 'x' },
      ['OIDC_ISSUER'],
    ],
    ['all', { ...OIDC, OIDC_CLIENT_SECRET_FILE: '/etc/empty' }, ['OIDC_CLIENT_SECRET_FILE']],
    ['all', { ...OIDC, OIDC_CLIENT_SECRET_FILE: '/nowhere' }, ['OIDC_CLIENT_SECRET_FILE']],
    ['all', { PROXY_BIN: '/nowhere/caddy' }, ['PROXY_BIN']],
    ['all', { PROXY_ADMIN: 'unix/relative' }, ['PROXY_ADMIN']],
    ['all', { DATA_DIR: '/srv/{box}' }, ['DATA_DIR']],
    ['all', { ACCESS_LOG: '/var/log/{env.USER}.log' }, ['ACCESS_LOG']],
    ['agent', { AGENT_TOKEN: TOKEN, PROXY_ADMIN: 'unix//run/{a}.sock' }, ['PROXY_ADMIN']],
    ['all', { PROXY_ENV_FILE: '/etc/bad.env' }, ['PROXY_ENV_FILE', 'PROXY_ENV_FILE']],
    [
      'all',
      { ACCESS_LOG_ROLL_MB: '0', ACCESS_LOG_KEEP: '1.5' },
      ['ACCESS_LOG_ROLL_MB', 'ACCESS_LOG_KEEP'],
    ],
    [
      'all',
      { ACCESS_LOG_KEEP_DAYS: '0', ACCESS_LOG_KEEP_MB: 'much' },
      ['ACCESS_LOG_KEEP_DAYS', 'ACCESS_LOG_KEEP_MB'],
    ],
    ['all', { LOG_SHIP_URL: 'logs.example/push' }, ['LOG_SHIP_URL']],
    ['all', { LOG_SHIP_URL: 'https://:1' }, ['LOG_SHIP_URL']],
    ['all', { LOG_SHIP_URL: 'https://me:hushed@logs.example' }, ['LOG_SHIP_URL']],
    ['all', { LOG_SHIP_URL: 'http://logs', LOG_SHIP_FORMAT: 'syslog' }, ['LOG_SHIP_FORMAT']],
    [
      'agent',
      { AGENT_TOKEN: TOKEN, LOG_SHIP_FORMAT: 'loki', LOG_SHIP_HEADERS_FILE: '/etc/headers' },
      ['LOG_SHIP_FORMAT', 'LOG_SHIP_HEADERS_FILE'],
    ],
    [
      'all',
      { LOG_SHIP_URL: 'http://logs', LOG_SHIP_HEADERS_FILE: '/nowhere' },
      ['LOG_SHIP_HEADERS_FILE'],
    ],
    [
      'all',
      { LOG_SHIP_URL: 'http://logs', LOG_SHIP_HEADERS_FILE: '/etc/bad.env' },
      ['LOG_SHIP_HEADERS_FILE'],
    ],
    ...words(`
      docker.sock ./docker.sock unix://docker.sock proxy:2375 http://:1 tcp://
      https://proxy:2375 http://me:hushed@proxy:2375 http://proxy/v1.44 ssh://box
    `).map((given): [Role, Record<string, string>, string[]] => [
      'all',
      { DOCKER_SOCKET: given },
      ['DOCKER_SOCKET'],
    ]),
    ...[
      ...words(`
        * *. *.*.example a.*.example https://a.example a.example:80 .example a..example
        -a.example a.example/x {env.HOST} ä.example a.example;b.example
      `),
      `${'a.'.repeat(130)}example`,
    ].map((given): [Role, Record<string, string>, string[]] => [
      ...([
        'all',
        { DOCKER_SOCKET: '/run/a.sock', DOCKER_DOMAINS: `b.example, ${given}` },
      ] as const),
      ['DOCKER_DOMAINS'],
    ]),
    ['all', { DOCKER_SOCKET: '/run/a.sock', DOCKER_LABELS: 'none' }, ['DOCKER_LABELS']],
    [
      'agent',
      { AGENT_TOKEN: TOKEN, DOCKER_LABELS: 'all', DOCKER_DOMAINS: 'a.example' },
      ['DOCKER_LABELS', 'DOCKER_DOMAINS'],
    ],
  ])('of %s, %j, are each named', (role, env, names) => {
    let message = '';
    try {
      read(role, env);
    } catch (error) {
      message = (error as Error).message;
    }
    const named = message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(' ')[0]);
    expect(named).toEqual(names);
    for (const value of Object.values(env)) {
      if (value.length > 4 && !value.includes('caddy')) expect(message).not.toContain(value);
    }
    expect(message).not.toContain('hush');
  });
});

describe('defaults', () => {
  test('on one machine are below the data folder', () => {
    const { hub, agent, log, token, firstPorts } = read('all', { DATA_DIR: '/srv/box' });
    expect(token).toBeNull();
    expect(log).toEqual({ format: 'logfmt', level: 'info' });
    expect(hub).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      signUp: 'first',
      trustProxy: false,
    });
    expect(agent).toMatchObject({ host: '127.0.0.1', port: 3002 });
    expect(agent.proxy).toMatchObject({
      bin: '/usr/bin/caddy',
      proxyfile: '/srv/box/Caddyfile',
      admin: 'unix//srv/box/caddy/run/admin.sock',
      managed: { folder: '/srv/box/caddy' },
      accessLog: { file: '/srv/box/logs/access.log', rollMb: 100, keep: 10 },
    });
    expect(firstPorts).toEqual({ http: null, https: null });
  });

  test('of an agent beside Caddy are those of Debian', () => {
    const { agent, token } = read('agent', { AGENT_TOKEN_FILE: '/run/token' });
    expect(token).toBe(TOKEN);
    expect(agent.proxy).toMatchObject({
      proxyfile: '/etc/caddy/Caddyfile',
      admin: 'localhost:2019',
      managed: null,
      accessLog: { file: '/var/log/caddy/access.log' },
    });
  });

  test('of a hub do not need Caddy', () => {
    const { hub } = read('hub', { AGENT_TOKEN: TOKEN, PROXY_BIN: 'none' });
    expect(hub.agentUrl).toBe('http://127.0.0.1:3002');
    const far = read('hub', { AGENT_TOKEN: TOKEN, AGENT_URL: 'https://far.example:1/' });
    expect(far.hub.agentUrl).toBe('https://far.example:1');
  });

  test('apply if a value is blank', () => {
    expect(read('all', { HUB_PORT: '', SIGN_UP: ' ' }).hub).toMatchObject({
      port: 3000,
      signUp: 'first',
    });
  });
});

test('a host alone has an origin with HTTPS, unless it is this machine’s', () => {
  const given =
    'http://Box.example:80/, box.example:8443 localhost:3000,[::1],https://b.example:443';
  const { origins, hosts } = read('all', { HUB_ORIGINS: given }).hub;
  expect(origins).toEqual([
    'http://box.example',
    'https://box.example:8443',
    'http://localhost:3000',
    'http://[::1]',
    'https://b.example',
  ]);
  expect(hosts).toEqual([
    'box.example',
    'box.example:8443',
    'localhost:3000',
    '[::1]',
    'b.example',
  ]);
});

test('a site must not reach the socket of a container engine', () => {
  const env = { AGENT_TOKEN: TOKEN, DOCKER_SOCKET: '/srv/engine.sock' };
  expect(read('all', env).agent.proxy.ownPaths).toContain('/srv/engine.sock');
  expect(read('hub', { ...env, DOCKER_SOCKET: 'nonsense' }).agent.plans).toEqual([]);
});

test('a site must not read the file of any secret', () => {
  const secrets = settings.flatMap(([name, { secret }]) => (secret ? [`${name}_FILE`] : []));
  expect(secrets).toEqual(expect.arrayContaining(['AGENT_TOKEN_FILE', 'BACKUP_PASSPHRASE_FILE']));
  for (const name of secrets) {
    const env = { AGENT_TOKEN: TOKEN, ...OIDC, [name]: '/run/token' };
    expect(read('all', env).agent.proxy.ownPaths).toContain('/run/token');
  }
});

describe('a managed proxy', () => {
  test('gets the variables of the file, PATH, HOME and XDG folders, and nothing else', () => {
    const { agent } = read('all', {
      DATA_DIR: '/srv/box',
      PATH: '/bin',
      AGENT_TOKEN: TOKEN,
      PROXY_ENV_FILE: '/etc/proxy.env',
    });
    expect(agent.proxy.env).toEqual({
      PATH: '/bin',
      HOME: '/srv/box/caddy',
      XDG_DATA_HOME: '/srv/box/caddy/data',
      XDG_CONFIG_HOME: '/srv/box/caddy/config',
      KEY: 'value with spaces',
      QUOTED: 'a=b',
      SINGLE: 'x',
      EMPTY: '',
    });
  });

  test('has an admin socket with a short path, always the same for one folder', () => {
    const admin = (dir: string) => read('all', { DATA_DIR: dir }).agent.proxy.admin;
    const long = `/srv/${'x'.repeat(120)}`;
    expect(Buffer.byteLength(admin(long))).toBeLessThanOrEqual(100);
    expect(admin(long)).toBe(admin(long));
    expect(admin(long)).not.toBe(admin(`${long}y`));
  });
});
