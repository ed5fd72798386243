/** Random requests for the hosts of a Nginx Proxy Manager: what a browser, a script or a scanner asks. */
import { Database } from 'bun:sqlite';
import { FULL } from '../../../harness/full.ts';
import { SOURCES } from '../../../harness/npm.ts';
import { type Random, seededRandom } from '../../../harness/random.ts';
import type { Visit } from '../../../harness/visits.ts';
import { words } from '../../../harness/words.ts';

export type HostVisit = Visit & {
  /** All names of the host of which it asks one. */
  names: readonly string[];
};

type Some<T> = [T, ...T[]];
type Row = Record<string, string | number | null>;
type Host = {
  names: Some<string>;
  /** Those that are asked, if it is not these. */
  asked?: Some<string>;
  hasTls?: boolean;
  takesWebsockets?: boolean;
  /** Some of its visitors come by a tunnel. */
  isBehindTunnel?: boolean;
  paths?: string[];
  /** `name:password`, right and wrong. */
  users?: Some<string | undefined>;
};

const PATHS: Some<string> = [
  ...([
    '/',
    '/',
    '/a/b?x=1',
    '/a%2Fb/%C3%A9?x=%20y',
    '/a//b',
    '/a/./b/../c',
    '/%41',
    '/b?',
  ] as const),
  ...words(`
    /logo.svg /api/private.js /static/a.png /img/a.PNG /s.css?v=1 /s.css.map
    /?id=1+union+select+(1) /?f=../../etc/passwd /?next=http://evil/ /?return=/a//b /.git/config
    /.well-known/acme-challenge/x /.well-known/caldav /npm-custom
  `),
];
const HEADERS: Some<Record<string, string>> = [
  { 'User-Agent': 'BadBot' },
  { 'User-Agent': 'libwww-perl/6' },
  { 'X-Forwarded-Proto': 'https' },
  { 'X-Forwarded-For': SOURCES.lan },
  { 'X-Real-IP': SOURCES.lan },
  { 'X-Real-IP': SOURCES.foreign },
  { 'CF-Connecting-IP': SOURCES.lan },
  { 'CF-IPCountry': 'XX' },
  { Cookie: 'authelia_session=good' },
];
const FROM = Object.keys(SOURCES) as Some<Visit['from']>;

/** @returns the same for the same seed */
export function visitsOf(database: Uint8Array, count: number, seed: number): HostVisit[] {
  const hosts = hostsIn(database);
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) =>
    visitOf(hosts[index % hosts.length] ?? hosts[0], random),
  );
}

function visitOf(host: Host, random: Random): HostVisit {
  const { names, asked = names, hasTls, paths = [], users } = host;
  const oneIn = (bound: number) => random.below(bound) === 0;
  const path = oneIn(2) ? random.pick(PATHS) : random.pick(['/', ...paths]);
  const isWebsocket = !/\.\w+(\?|$)/.test(path) && oneIn(host.takesWebsockets ? 4 : 12);
  return {
    names,
    scheme: hasTls ? random.pick(['https', 'https', 'http']) : oneIn(40) ? 'https' : 'http',
    method: isWebsocket ? 'GET' : random.pick(['GET', 'GET', 'GET', 'POST', 'HEAD']),
    host: random
      .pick(asked)
      .replace(/^\*\./, random.pick(['a.', 'a.b.']))
      .replace(/^\./, random.pick(['', 'x.']))
      .replace(/\*$/, 'test'),
    path,
    from: random.pick(FROM),
    ...(oneIn(users ? 2 : 12) && { as: random.pick(users ?? [STRANGER]) }),
    ...(oneIn(6) && { headers: random.pick(HEADERS) }),
    ...(host.isBehindTunnel && { headers: { 'X-Forwarded-Proto': 'https' } }),
    isWebsocket,
  };
}

/** Is in no list. */
const STRANGER = 'nobody:nothing';

/** Hosts with more to say about requests come several times. */
function hostsIn(bytes: Uint8Array): Some<Host> {
  const database = Database.deserialize(bytes);
  const rows = (table: string, where: string) =>
    database.query(`SELECT * FROM ${table} WHERE ${where}`).all() as Row[];
  const lists = new Set<number>();
  const hosts = ['proxy_host', 'redirection_host', 'dead_host'].flatMap((table) =>
    rows(table, 'is_deleted = 0').flatMap((row) => {
      const advanced = String(row.advanced_config ?? '');
      const paths = [...pathsIn(row.locations), ...pathsOfText(advanced)];
      const list = Number(row.access_list_id ?? 0);
      const users = rows('access_list_auth', `access_list_id = ${list}`).map(
        ({ username, password }) => `${username}:${password}`,
      );
      const [first] = users;
      const all: Host['users'] = [first, ...users.slice(1), `${first}!`, STRANGER];
      // Caddy takes a second for each that is new to a host.
      const few: Host['users'] = lists.size === 0 ? all : [lists.has(list) ? undefined : first];
      if (first && !String(row.meta).includes('"nginx_online":false')) lists.add(list);
      const times = paths.length > 0 ? 5 : list || advanced ? 3 : 1;
      return Array<Host>(times).fill({
        names: JSON.parse(String(row.domain_names)),
        hasTls: Number(row.certificate_id) > 0,
        takesWebsockets: row.allow_websocket_upgrade === 1,
        isBehindTunnel: row.trust_forwarded_proto === 1,
        paths: paths.flatMap(near),
        ...(first && { users: FULL ? all : few }),
      });
    }),
  );
  database.close();
  return [
    { names: ['nobody.example.com'] },
    { names: ['escape.example.com'], asked: ['hidden.example.com', 'escape3.example.com'] },
    { names: ['bücher.example'], asked: ['xn--bcher-kva.example'] },
    { names: ['basicown.example.com'], users: ['kim:Kim-own-7', 'kim:wrong'] },
    ...hosts,
  ];
}

const pathsIn = (locations: unknown): string[] =>
  ((JSON.parse(String(locations ?? 'null')) ?? []) as { path: string }[]).flatMap(
    ({ path }) => /(?<![~] )\/[\w./-]*$/.exec(path)?.[0] ?? [],
  );

const pathsOfText = (nginx: string): string[] =>
  [...nginx.matchAll(/(?:location|rewrite)\s+(?:=|\^~)?\s*\^?(\/[\w./-]*)/g)].map(
    ([, path]) => path ?? '',
  );

/** A path, what is almost one below it, and other spellings of it. */
function near(path: string): string[] {
  const bare = path.replace(/\/$/, '');
  const code = `%${path.charCodeAt(1).toString(16)}`;
  return [
    path,
    path,
    `${bare}/deep/er?q=1`,
    `${bare}/a%20b/`,
    `${path}x`,
    `${path}?q=1`,
    path.toUpperCase(),
    `/${path}`,
    `/x/..${path}`,
    `/x%2f..${path}`,
    `${path};x`,
    ...(bare === '' ? [] : [bare, `/${code}${path.slice(2)}`]),
  ];
}
