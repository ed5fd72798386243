/**
 * Made-up visitors, as lines of Caddy's access log. What happens in a minute follows from that minute alone, so that
 * the last week can be written at once, and go on.
 */
import { domainOf, SITES, type Site } from './house.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When the service of a site did not answer, and since when another one has not: milliseconds since the start. */
export const BAD_HOUR = { site: 'cloud', from: -52 * HOUR_MS, to: -51.6 * HOUR_MS } as const;
const DEAD_SINCE = -5 * HOUR_MS;

/** Visits a minute, by the hour of the day. */
const RHYTHM = [
  3, 2, 1.5, 1.5, 1.5, 2, 3, 4, 5, 4, 4, 4.5, 5.5, 5, 4, 4, 5, 6.5, 8, 9.5, 10, 8, 6, 4,
];
/** The hour and the minutes in which a scanner comes each night, and how many requests it makes in each. */
const SCANNER = { hour: 3, from: 20, to: 26, requests: 45 };
const SCANNED = ['/.env', '/wp-login.php', '/.git/config', '/admin/', '/phpmyadmin/', '/boaform/'];

const PATHS = `/ / /login /api/status /api/status /assets/app.js /assets/style.css /favicon.ico
/api/items?page=2 /search?q=lamp /feed.xml /images/42.webp`.split(/\s/);
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 200, 200, 206, 204, 304, 304, 302, 404];
/** Of the family, and of strangers. */
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile Safari/604.1',
  'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
];
const CRAWLER = 'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example)';

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const one = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;

/** By their shares of a thousand. */
const BUSY = SITES.flatMap((site) => Array<Site>(site.share * 10).fill(site));

/** The lines from one moment to the next, in milliseconds since 1970. @param start when the demo was started */
export function visitsBetween(from: number, to: number, start: number): string {
  const lines: string[] = [];
  for (let minute = Math.floor(from / MINUTE_MS); minute * MINUTE_MS < to; minute++) {
    for (const [at, line] of visitsOf(minute, start)) if (at >= from && at < to) lines.push(line);
  }
  return lines.join('');
}

function visitsOf(minute: number, start: number): [at: number, line: string][] {
  const random = seeded(minute);
  const time = new Date(minute * MINUTE_MS);
  const [hour, past] = [time.getHours(), time.getMinutes()];
  const isScanned = hour === SCANNER.hour && past >= SCANNER.from && past < SCANNER.to;
  const visits = Math.round((RHYTHM[hour] ?? 1) * 2 * random());
  const count = isScanned ? SCANNER.requests : visits;
  const moments = Array.from({ length: count }, () => (minute + random()) * MINUTE_MS);
  return moments
    .toSorted((a, b) => a - b)
    .map((at) => [at, line(random, at, isScanned ? scan(random) : visit(random, at - start))]);
}

type Visit = {
  site: Site;
  ip: string;
  agent: string;
  uri: string;
  status: number;
  seconds: number;
};

const scan = (random: Random): Visit => ({
  site: one(random, SITES),
  ip: '198.51.100.66',
  agent: 'python-requests/2.32.4',
  uri: one(random, SCANNED),
  status: 404,
  seconds: 0.001 + random() * 0.002,
});

/** @param since milliseconds since the demo was started */
function visit(random: Random, since: number): Visit {
  const site = one(random, BUSY);
  const isStranger = site.isPublic === true && random() < 0.4;
  const isAway = !site.policies && random() < 0.35;
  const person = Math.floor(random() * 9);
  const atHome = isAway ? `203.0.113.${40 + (person % 4)}` : `192.168.1.${20 + person}`;
  const error = errorOf(site, since);
  return {
    site,
    ip: isStranger ? `198.51.100.${Math.floor(1 + random() * 60)}` : atHome,
    agent: isStranger ? CRAWLER : (AGENTS[person % AGENTS.length] ?? CRAWLER),
    uri: one(random, PATHS),
    status: error ?? one(random, STATUSES),
    seconds: 0.003 + random() ** 6 * (error === null ? 0.6 : 3),
  };
}

/** The status of a service that does not answer, or is failing; null for others. */
function errorOf({ name, fault }: Site, since: number): number | null {
  if (fault === 'failing') return since > 0 ? 503 : null;
  const isBad = name === BAD_HOUR.site && since > BAD_HOUR.from && since < BAD_HOUR.to;
  return isBad || (fault === 'dead' && since > DEAD_SINCE) ? 502 : null;
}

/** As Caddy 2.11 writes it. */
function line(
  random: Random,
  at: number,
  { site, ip, agent, uri, status, seconds }: Visit,
): string {
  const host = domainOf(site);
  const isError = status >= 500;
  const entry = {
    level: isError ? 'error' : 'info',
    ts: Number((at / 1000).toFixed(6)),
    logger: 'http.log.access.log0',
    msg: 'handled request',
    request: {
      remote_ip: ip,
      remote_port: String(1024 + Math.floor(random() * 60_000)),
      client_ip: ip,
      proto: 'HTTP/2.0',
      method: uri === '/login' && random() < 0.5 ? 'POST' : 'GET',
      host,
      uri,
      headers: { 'User-Agent': [agent], Accept: ['*/*'] },
      tls: { resumed: false, version: 772, cipher_suite: 4865, proto: 'h2', server_name: host },
    },
    bytes_read: 0,
    user_id: '',
    duration: Number(seconds.toFixed(9)),
    size: status === 304 || isError ? 0 : Math.floor(200 + random() ** 4 * 400_000),
    status,
    resp_headers: { Server: ['Caddy'] },
  };
  return `${JSON.stringify(entry)}\n`;
}
