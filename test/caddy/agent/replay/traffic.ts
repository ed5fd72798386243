/** A generated week of requests, and the lines that Caddy would have logged about them. */
import { type Random, seededRandom } from '../../../harness/random.ts';
import { words } from '../../../harness/words.ts';

/** A request that was logged once or more often. */
export type Logged = {
  tls: boolean;
  method: string;
  /** As the visitor sent it: maybe with a port. */
  host: string;
  uri: string;
  ip: string;
  headers: Readonly<Record<string, string>>;
  /** When it came, in seconds since 1970; the newest first. */
  times: readonly number[];
};

/** A host as sites have it. */
export const nameOf = (host: string): string =>
  host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();

/** Whether the name of a site, maybe with `*` in front or empty, stands for a host. */
export const covers = (name: string, host: string): boolean =>
  name === '' ||
  name === host ||
  (name.startsWith('*.') && host.replace(/^[^.]+/, '') === name.slice(1));

type Place = { host: string; tls: boolean };

export type Addresses = {
  home: readonly [string, ...string[]];
  foreign: readonly [string, ...string[]];
};

/** Any address can be said by the PROXY protocol; others are those that loopback has. */
export const ANY: Addresses = {
  home: ['192.168.1.23', '192.168.1.40', '10.0.7.7', 'fd00::23'],
  foreign: ['203.0.113.9', '198.51.100.77', '2001:db8::9'],
};
export const LOOPBACK: Addresses = {
  home: ['127.168.1.23', '127.168.1.40', '127.168.2.7'],
  foreign: ['127.3.113.9', '127.51.100.77'],
};

const PATHS: readonly [string, ...string[]] = [
  ...(['/', '/', '/api/push', '/api/v2/items?page=2', '/api/v2/items?debug=1', '/old'] as const),
  ...words(`
    /old/page /admin /admin/users?debug=1 /a.css /files/readme.txt /same.txt /only-one.txt
    /missing /search?q=%20x&debug=1 /x%20y/%C3%A9 /a//b /files /index.php /index.php/info?x=1
    /app/inner/page /app /API/push /secret/ /%2e%2e/x;y /api/%70ush
  `),
];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
const AGENTS: readonly [string, ...string[]] = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'GoodBot/1.0 (+https://bot.example)',
  'curl/8.5.0',
];
const DAY = 86_400;
const DAYS = 7;

/**
 * @param places where visitors go: those of sites, and others
 * @returns distinct requests
 */
export function trafficFor(
  places: readonly Place[],
  { home, foreign }: Addresses,
  count: number,
  random: Random,
  now = Date.now() / 1000,
): Logged[] {
  const all: readonly [string, ...string[]] = [...home, ...foreign];
  const found = new Map<string, Logged>();
  for (let tries = 0; found.size < count && tries < 20 * count; tries++) {
    const { host, tls } = places[random.below(places.length)] as Place;
    const ip = random.pick(all);
    const agent = AGENTS[all.indexOf(ip) % AGENTS.length] ?? AGENTS[0];
    const [method, uri] = [random.pick(METHODS), random.pick(PATHS)];
    // Always the same one of a visitor for a path: headers tell requests apart only where a site goes by them.
    const isSecond = (uri.length + ip.length) % 3 === 0;
    const headers = { 'User-Agent': agent, ...(isSecond && { 'X-Api-Version': '2' }) };
    const times = Array.from({ length: 1 + random.below(5) }, () =>
      Math.floor(now - 60 - random.below(DAYS * DAY - DAY / 2)),
    ).sort((a, b) => b - a);
    const logged = { tls, method, host, uri, ip, headers, times };
    found.set([tls, method, host, uri, ip].join(' '), logged);
  }
  return [...found.values()];
}

/** Lines about requests that are not compared: older than the week, and websockets. */
export function others(logged: readonly Logged[], random: Random, now = Date.now() / 1000) {
  const some = () => logged[random.below(logged.length)] as Logged;
  const old = Array.from({ length: 20 }, () => ({
    ...some(),
    uri: '/of-last-month',
    times: [Math.floor(now - (DAYS + 1 + random.below(20)) * DAY)],
  }));
  const websockets = Array.from({ length: 7 }, (_, at) => ({
    ...some(),
    method: 'GET',
    uri: `/socket/${at}`,
    times: [Math.floor(now - 100 - at)],
    headers: { 'User-Agent': AGENTS[0], Connection: 'Upgrade', Upgrade: 'websocket' },
  }));
  return { old, websockets };
}

/**
 * The text of an access log, in the order of time.
 * @param isNew whether it is of Caddy 2.7 or newer
 */
export function accessLog(logged: readonly Logged[], isNew: boolean): string {
  const random = seededRandom(7);
  return logged
    .flatMap((one) =>
      one.times.map((time) => ({ time, line: () => lineOf(one, time, isNew, random) })),
    )
    .sort((a, b) => a.time - b.time)
    .map(({ line }) => line())
    .join('');
}

function lineOf(logged: Logged, time: number, isNew: boolean, random: Random): string {
  const { tls, method, host, uri, ip, headers } = logged;
  const isSocket = headers.Upgrade !== undefined;
  const line = {
    level: 'info',
    ts: time + random.below(1_000_000) / 1e6,
    logger: 'http.log.access',
    msg: 'handled request',
    request: {
      remote_ip: ip,
      remote_port: String(1_024 + random.below(60_000)),
      ...(isNew && { client_ip: ip }),
      proto: tls && !isSocket ? 'HTTP/2.0' : 'HTTP/1.1',
      method,
      host,
      uri,
      headers: {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
        Accept: ['*/*'],
        'Accept-Encoding': ['gzip, deflate, br'],
        ...(random.below(3) === 0 && { Cookie: isNew ? ['REDACTED'] : [] }),
      },
      ...(tls && {
        tls: {
          resumed: false,
          version: 772,
          cipher_suite: 4865,
          proto: 'h2',
          server_name: host.replace(/:\d+$/, ''),
          ...(isNew && { ech: false }),
        },
      }),
    },
    ...(isNew && { bytes_read: 0 }),
    user_id: '',
    duration: random.below(1_000_000) / 1e8,
    size: random.below(100_000),
    // What was served then may have been another configuration.
    status: isSocket ? 101 : 200,
    resp_headers: { Server: ['Caddy'], 'Content-Type': ['text/html; charset=utf-8'] },
  };
  return `${JSON.stringify(line)}\n`;
}
