/** Generated configurations: sites of all kinds, from a seed. */
import type { Random } from '../../../harness/random.ts';
import type { Addresses } from './traffic.ts';
import type { Services } from './upstreams.ts';

export type Site = {
  name: string;
  tls: boolean;
  /** Whether it is on a port of its own. */
  isApart: boolean;
  /** Whether it is served by HTTP besides HTTPS. */
  isBoth?: boolean;
  /** Directives, maybe with blocks. */
  parts: string[];
};
export type Config = { sites: Site[] };

/** Where a configuration is served. */
export type Ports = { http: number; https: number; plain: number; secure: number };

/** What parts are made of. */
export type Stuff = {
  services: Pick<Services, 'applications' | 'signIn' | 'php' | 'roots'>;
  addresses: Addresses;
  /** The name of the directive in this Caddy. */
  basicAuth: string;
  random: Random;
};

const HASH = '$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG';
let matchers = 0;

/** Upstreams of pools; each is in one only, so that the one that answered says which pool was asked. */
const POOLS = [
  [5, 6],
  [7, 8],
];
const upstream = ({ services, random }: Stuff): string =>
  services.applications[random.below(5)] ?? '';
const pool = ({ services, random }: Stuff): string =>
  (POOLS[random.below(2)] ?? []).map((at) => services.applications[at]).join(' ');
/** The networks of visitors at home. */
export const homeOf = ({ home }: Addresses): string =>
  home[0].startsWith('127.') ? '127.168.0.0/16' : '192.168.1.0/24 10.0.0.0/8 fd00::/8';

type Part = (stuff: Stuff) => string;

/** Parts that answer some requests, or change what the others are. */
export const PARTS: Readonly<Record<string, Part>> = {
  handle: (stuff) => `handle /api/* {\n\treverse_proxy ${upstream(stuff)}\n}`,
  handlePath: (stuff) => `handle_path /app/* {\n\treverse_proxy ${upstream(stuff)}\n}`,
  route: (stuff) =>
    `route /admin* {\n\t@debug${++matchers} query debug=1\n\trespond @debug${matchers} 418\n\treverse_proxy ${upstream(stuff)}\n}`,
  agent: () => `@bots${++matchers} header User-Agent *Bot*\nrespond @bots${matchers} 403`,
  method: () => `@writes${++matchers} method POST PUT DELETE\nrespond @writes${matchers} 405`,
  both: (stuff) =>
    `@both${++matchers} {\n\tpath /search /api/*\n\tquery debug=*\n}\nreverse_proxy @both${matchers} ${upstream(stuff)}`,
  strangers: ({ addresses }) =>
    `@strangers${++matchers} not remote_ip ${homeOf(addresses)}\nrespond @strangers${matchers} 403`,
  home: (stuff) =>
    `@home${++matchers} remote_ip ${homeOf(stuff.addresses)}\nhandle @home${matchers} {\n\treverse_proxy ${upstream(stuff)}\n}\nhandle /api/* {\n\tabort\n}`,
  basicAuth: ({ basicAuth }) => `${basicAuth} /secret* {\n\tkim ${HASH}\n}`,
  signIn: ({ services }) =>
    `forward_auth /admin* ${services.signIn} {\n\turi /verify\n\tcopy_headers Remote-User Remote-Groups\n}`,
  redir: () => 'redir /old /new 301',
  redirElsewhere: () => 'redir /old/* https://www.example.org{uri}',
  rewrite: () => 'rewrite /x* /rewritten?{query}',
  strip: () => 'uri /API/* strip_prefix /API',
  respond: () => 'respond /missing "gone" 410',
  error: () => 'error /missing "nothing here" 404',
  retry: () => 'header /search Retry-After 120\nrespond /search "later" 503',
  files: ({ services }) => `handle /files* {\n\troot * ${services.roots[0]}\n\tfile_server\n}`,
  pattern: () =>
    `@items${++matchers} path_regexp items ^/api/(v\\d)/(\\w+)\nredir @items${matchers} /{re.items.2}/{re.items.1}?{query} 307`,
  expression: (stuff) =>
    `@either${++matchers} expression \`path('/files*') || {method} == 'DELETE'\`\nreverse_proxy @either${matchers} ${upstream(stuff)}`,
  ownHeader: (stuff) =>
    `@second${++matchers} header X-Api-Version 2\nhandle @second${matchers} {\n\treverse_proxy ${upstream(stuff)}\n}`,
  noHeader: () => `@first${++matchers} not header X-Api-Version *\nheader @first${matchers} X-A b`,
  hostIn: () => 'redir /app https://{host}/app/?from={hostport} 303',
  map: () =>
    `map {path} {where${++matchers}} {\n\t/old /map-old\n\t~/admin(.*) /map$1\n\tdefault ""\n}\n@mapped${matchers} expression \`{where${matchers}} != ""\`\nredir @mapped${matchers} {where${matchers}}`,
  tryFiles: ({ services }) =>
    `handle /a* {\n\troot * ${services.roots[0]}\n\ttry_files {path} /files/readme.txt\n\tfile_server\n}`,
  missingFiles: ({ services }) =>
    `root * ${services.roots[0]}\n@there${++matchers} file {path}\nheader @there${matchers} X-File yes\n@gone${matchers} {\n\tnot file {path}\n\tpath /*.txt\n}\nerror @gone${matchers} 404`,
  methodTo: () => '@delete method DELETE\nrewrite @delete /trash{path}',
  encode: () => 'encode gzip',
  header: () => 'header X-Frame-Options DENY',
};

/** Parts that answer all that is left. */
export const LAST: Readonly<Record<string, Part>> = {
  proxy: (stuff) => `reverse_proxy ${upstream(stuff)}`,
  proxyHeaders: (stuff) =>
    `reverse_proxy ${upstream(stuff)} {\n\theader_up X-From signalbox\n\theader_up Host {upstream_hostport}\n}`,
  pool: (stuff) => `reverse_proxy ${pool(stuff)} {\n\tlb_policy random\n}`,
  respond: () => 'respond "hello" 200',
  files: ({ services }) => `root * ${services.roots[0]}\nfile_server`,
  php: ({ services }) => `root * ${services.roots[0]}\nphp_fastcgi ${services.php}\nfile_server`,
  guarded: (stuff) =>
    `forward_auth ${stuff.services.signIn} {\n\turi /verify\n\tcopy_headers Remote-User Remote-Groups\n}\nreverse_proxy ${upstream(stuff)}`,
  nothing: () => 'handle_errors {\n\trespond "{err.status_code}"\n}',
  errors: (stuff) =>
    `root * ${stuff.services.roots[0]}\nfile_server\nhandle_errors {\n\trewrite * /errors/{err.status_code}\n\treverse_proxy ${upstream(stuff)}\n}`,
};

export const pickOf = (parts: Readonly<Record<string, Part>>, stuff: Stuff): string =>
  stuff.random.pick(Object.values(parts) as [Part, ...Part[]])(stuff);

export const NAMES = ['plain', 'app', '*.wild', 'port', 'safe', 'both', 'new'].map(
  (name) => `${name}.example`,
);

/** Six sites; visitors also ask for the seventh. */
export function generated(stuff: Stuff): Config {
  const site = (name: string, tls: boolean, isApart = false): Site => ({
    name,
    tls,
    isApart,
    parts: [
      ...new Set(Array.from({ length: 2 + stuff.random.below(4) }, () => pickOf(PARTS, stuff))),
      pickOf(LAST, stuff),
    ],
  });
  const [plain = '', app = '', wild = '', port = '', safe = '', both = ''] = NAMES;
  return {
    sites: [
      site(plain, false),
      site(app, true),
      site(wild, true),
      site(port, false, true),
      site(safe, true, true),
      site(both, stuff.random.below(2) === 0),
    ],
  };
}

/** Where visitors of a configuration go, and to what it does not have. @param ports those of the log */
export const placesOf = ({ plain, secure }: Ports) => [
  ...['plain', 'app', 'both', 'new', 'one.wild'].flatMap((name) => [
    { host: `${name}.example`, tls: false },
    { host: `${name}.example`, tls: true },
  ]),
  { host: 'plain.example', tls: false },
  ...['app', 'both', 'two.wild'].map((name) => ({ host: `${name}.example`, tls: true })),
  ...[1, 2, 3].flatMap(() => [
    { host: `port.example:${plain}`, tls: false },
    { host: `safe.example:${secure}`, tls: true },
  ]),
  { host: 'safe.example', tls: false },
  { host: 'deep.one.wild.example', tls: false },
  { host: 'nobody.example', tls: false },
  { host: 'PLAIN.example.', tls: false },
  { host: 'plain.example:80', tls: false },
  { host: 'App.Example:443', tls: true },
  { host: '203.0.113.80', tls: false },
];

/** @param options lines of the global block besides */
export function render({ sites }: Config, ports: Ports, options: readonly string[] = []): string {
  const all = [
    `http_port ${ports.http}`,
    `https_port ${ports.https}`,
    'skip_install_trust',
    ...options,
  ];
  const block = (head: string, lines: readonly string[]) =>
    `${head} {\n${lines
      .flatMap((line) => line.split('\n'))
      .map((line) => `\t${line}\n`)
      .join('')}}\n`;
  return [
    block('', all).trimStart(),
    ...sites.map((site) =>
      block(addressOf(site, ports), [...(site.tls ? ['tls internal'] : []), ...site.parts]),
    ),
  ].join('\n');
}

function addressOf({ name, tls, isApart, isBoth }: Site, { plain, secure }: Ports): string {
  if (isApart) return tls ? `https://${name}:${secure}` : `http://${name}:${plain}`;
  if (isBoth) return `http://${name}, https://${name}`;
  return tls ? name || 'https://' : `http://${name}`;
}
