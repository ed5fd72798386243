/** Generated visitors of a site, and the lines that Caddy's log has of them. */
import { CHECK_AGENT } from '../../../agent/logs/line/entry.ts';
import type { Random } from '../../harness/random.ts';

/** Of proxies before Caddy: one that was always trusted, and one that was not when the log was written. */
export const HOP = '198.18.0.1';
export const NEW_HOP = '172.18.0.1';

/** By which way somebody came. */
type Way = 'directly' | 'hop' | 'new hop';

export type Visitor = {
  ip: string;
  way: Way;
  /** What they got; the first is the oldest. */
  statuses: number[];
  /** Days ago, of the first. */
  ago: number;
  /** By which of the site's names. */
  name: string;
  userAgent?: string;
};

/** Whether `private_ranges` have them, as Caddy sees it. */
export const ADDRESSES: Readonly<Record<string, boolean>> = {
  '192.168.1.2': true,
  '10.8.0.3': true,
  '172.31.255.9': true,
  '127.0.0.7': true,
  'fd00::2': true,
  '::1': true,
  '172.32.0.1': false,
  '11.0.0.1': false,
  '100.64.7.7': false,
  '169.254.3.4': false,
  'fc00::5': false,
  'fe80::5': false,
  '203.0.113.7': false,
  '192.0.2.200': false,
  '2001:db8::7': false,
  '2a00:1450::9': false,
};
/** An address of IPv4 as one of IPv6, as some proxies write it. */
export const MAPPED = ['::ffff:192.168.1.9', '::ffff:203.0.113.8'] as const;

const of = (isHome: boolean) =>
  Object.keys(ADDRESSES).filter((ip) => ADDRESSES[ip] === isHome) as [string, ...string[]];
const [INSIDE, OUTSIDE] = [of(true), of(false)];

/** For 401 and the like nobody had got in; a crawler gets a 404 or a redirect as well. */
type Statuses = readonly [number[], ...number[][]];
const LET_IN: Statuses = [[200], [204, 401], [302], [401, 200], [404], [403, 206], [500]];
const SENT_AWAY: Statuses = [[401], [403], [0], [403, 401, 403]];
export const isLetIn = ({ statuses }: Visitor): boolean =>
  statuses.some((status) => ![0, 401, 403].includes(status));

/** Of a person, a crawler, a monitor, and somebody who imitates a check of an agent. */
const USER_AGENTS: [string, ...string[]] = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101',
  'Googlebot/2.1',
  'UptimeRobot/2.0',
  `${CHECK_AGENT}0123456789abcdef`,
];

/** @param names of the site @param days of the log @returns nobody twice */
export function visitorsOf(random: Random, names: [string, ...string[]], days: number): Visitor[] {
  const isQuiet = random.below(3) > 0;
  const from = (ips: [string, ...string[]], statuses: number[], way: Way): Visitor => ({
    ip: random.pick(ips),
    way,
    statuses,
    ago: 1 + random.below(days - 1),
    name: random.pick(names),
    userAgent: random.pick(USER_AGENTS),
  });
  const found = [
    ...Array.from({ length: 1 + random.below(4) }, () =>
      from(INSIDE, random.pick(LET_IN), random.pick(['directly', 'directly', 'hop'])),
    ),
    ...Array.from({ length: random.below(3) }, () =>
      from(OUTSIDE, random.pick(SENT_AWAY), random.pick(['directly', 'hop'])),
    ),
    ...Array.from({ length: isQuiet ? 0 : 1 + random.below(2) }, () =>
      from(OUTSIDE, random.pick(LET_IN), random.pick(['directly', 'hop', 'new hop'])),
    ),
    ...(random.below(12) === 0 ? [from([...MAPPED], [200], 'hop')] : []),
  ];
  return [...new Map(found.map((one) => [one.ip, one])).values()];
}

const DAY_S = 86_400;

/** @param now in seconds since 1970 */
export const linesOf = (
  { ip, way, statuses, ago, name, userAgent = '' }: Visitor,
  now: number,
): string[] =>
  statuses.map((status, at) => {
    const peer = { directly: ip, hop: HOP, 'new hop': NEW_HOP }[way];
    const client = way === 'hop' ? ip : peer;
    // Caddy before 2.7, which trusts nobody, names none.
    const hasClient = way === 'hop' || ago % 2 === 0;
    const request = {
      remote_ip: peer,
      remote_port: '1',
      ...(hasClient && { client_ip: client }),
      proto: 'HTTP/1.1',
      method: 'GET',
      host: name,
      uri: '/',
      headers: {
        'User-Agent': [userAgent],
        ...(way !== 'directly' && { 'X-Forwarded-For': [ip] }),
      },
    };
    const line = { level: 'info', logger: 'http.log.access', msg: 'handled request', request };
    const rest = { user_id: '', duration: 0.001, size: 1, status, resp_headers: {} };
    return `${JSON.stringify({ ...line, ts: now - ago * DAY_S + at, ...rest })}\n`;
  });
