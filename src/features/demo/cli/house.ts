/** The made-up home: its people, sites, policies and the changes of the last week. */

/** Who makes the changes; the first one owns the home. */
export const PEOPLE = ['Ada', 'Ben', 'Chloe'] as const;
type Person = (typeof PEOPLE)[number];

export type Site = Readonly<{
  name: string;
  /** That of its service. */
  port: number;
  /** Of the visits, in percent. */
  share: number;
  tags: string[];
  /** By name. */
  policies?: string[];
  /** The path that its check asks for. */
  check?: string;
  /** Whether strangers visit it, too. */
  isPublic?: true;
  /** What is wrong with its service: it does not answer, or only with errors since the demo runs. */
  fault?: 'dead' | 'failing';
  isOff?: true;
}>;

const LAN = ['lan-only'];

/** In the order in which they came to the home. */
export const SITES: readonly Site[] = [
  { name: 'cloud', port: 11000, share: 18, tags: ['files'], check: '/status.php', isPublic: true },
  { name: 'photos', port: 2283, share: 22, tags: ['media'], check: '/api/server/ping' },
  { name: 'home', port: 8123, share: 15, tags: ['house'], check: '/' },
  { name: 'vault', port: 8222, share: 5, tags: ['office'], check: '/alive' },
  { name: 'git', port: 3001, share: 6, tags: ['code'], check: '/api/healthz', isPublic: true },
  { name: 'music', port: 4533, share: 5, tags: ['media'], check: '/ping' },
  { name: 'tv', port: 8096, share: 6, tags: ['media'], check: '/health', fault: 'failing' },
  { name: 'books', port: 8083, share: 1, tags: ['media'] },
  { name: 'paper', port: 8010, share: 1, tags: ['office'], check: '/' },
  { name: 'mail', port: 8025, share: 3, tags: ['office'], check: '/' },
  { name: 'nas', port: 5000, share: 1, tags: ['house'], policies: LAN },
  { name: 'router', port: 8081, share: 0.5, tags: ['house'], policies: LAN },
  { name: 'printer', port: 6310, share: 0.5, tags: ['house'], policies: LAN, fault: 'dead' },
  { name: 'camera', port: 8971, share: 2, tags: ['house'], policies: LAN },
  { name: 'blog', port: 4321, share: 4, tags: ['public'], check: '/', isPublic: true },
  { name: 'wiki', port: 3003, share: 2, tags: ['office'], policies: ['family'] },
  { name: 'feeds', port: 8088, share: 3, tags: ['media'] },
  { name: 'recipes', port: 9925, share: 1, tags: ['house'], policies: ['family'] },
  { name: 'notes', port: 5230, share: 1, tags: ['office'] },
  { name: 'docs', port: 8000, share: 0.5, tags: ['code'] },
  { name: 'chat', port: 8008, share: 3, tags: ['office'], check: '/health' },
  { name: 'status', port: 3002, share: 1, tags: ['public'], isPublic: true },
  { name: 'graphs', port: 3004, share: 1, tags: ['code'], policies: LAN },
  { name: 'map', port: 8100, share: 0, tags: ['media'], isOff: true },
];

/** So many of them were moved in at once. */
const MOVED_IN = 14;

/** `home.example` is reserved (RFC 2606): nobody asks a name server for it. */
export const domainOf = ({ name }: Pick<Site, 'name'>): string => `${name}.home.example`;

const CONFIG = 'encode zstd gzip\nreverse_proxy {upstream}';

const POLICIES = [
  { name: 'lan-only', recipe: 'allow', values: { networks: ['private_ranges'] } },
  {
    name: 'family',
    recipe: 'basic-auth',
    values: {
      // Of a password that nobody knows.
      users: [
        { name: 'family', hash: '$2b$10$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy' },
      ],
      exemptNetworks: ['192.168.1.0/24'],
    },
  },
  { name: 'safe-headers', recipe: 'headers', values: { frame: 'deny', referrer: 'same-origin' } },
  { name: 'no-crawlers', recipe: 'robots', values: { names: ['GPTBot', 'CCBot'] } },
  { name: 'scanners', recipe: 'block', values: { networks: ['198.51.100.66'] } },
];

/** A request to the API, as an operator makes it, and how many hours ago it was made. */
export type Change = Readonly<{
  by: Person;
  ago: number;
  method: 'POST' | 'PUT';
  path: string;
  json?: object;
}>;

/** Where the services listen, by the names of the sites. */
type Upstreams = ReadonlyMap<string, string>;

export type Ports = Readonly<{ http: number; https: number }>;

/** All on this machine, with certificates of Caddy's own authority. */
const preambleOf = ({ http, https }: Ports): string => `{
	http_port ${http}
	https_port ${https}
	default_bind 127.0.0.1
	local_certs
	skip_install_trust
}`;

/** The first ones: those of a round do not depend on each other. @param ports Caddy's */
export function moveIn(upstreams: Upstreams, ports: Ports): Change[][] {
  const preamble = { config: preambleOf(ports) };
  const create = (site: Site) => ({
    domain: domainOf(site),
    upstream: upstreams.get(site.name),
    config: CONFIG,
    tags: site.tags,
    policies: site.policies ?? [],
    enabled: !site.isOff,
  });
  const operations = SITES.slice(0, MOVED_IN).map((site) => ({ op: 'create', ...create(site) }));
  return [
    [{ by: 'Ada', ago: 166, method: 'PUT', path: '/preamble', json: preamble }],
    POLICIES.map((json, at) => ({
      by: at < 3 ? 'Ada' : 'Ben',
      ago: 165 - at / 10,
      method: 'POST',
      path: '/policies',
      json,
    })),
    [{ by: 'Ada', ago: 163, method: 'POST', path: '/vhosts/bulk', json: { operations } }],
    SITES.slice(MOVED_IN).map((site, at) => ({
      by: PEOPLE[at % 3] ?? 'Ada',
      ago: 144 - 11 * at,
      method: 'POST',
      path: '/vhosts',
      json: create(site),
    })),
  ];
}

/** The later ones. @param ids those of the vhosts, by the names of the sites */
export function liveIn(ids: ReadonlyMap<string, number>): Change[][] {
  const edit = (by: Person, ago: number, name: string, json: object): Change => ({
    by,
    ago,
    method: 'PUT',
    path: `/vhosts/${ids.get(name)}`,
    json,
  });
  const operations = SITES.flatMap(({ name, check, fault }) =>
    check === undefined
      ? []
      : {
          op: 'update',
          id: ids.get(name),
          check: { path: check, ...(fault === 'failing' && { every: 10 }) },
        },
  );
  return [
    [
      edit('Ben', 30, 'git', { policies: ['no-crawlers'] }),
      edit('Ada', 29, 'cloud', { config: `request_body {\n\tmax_size 10GB\n}\n${CONFIG}` }),
      edit('Chloe', 26, 'blog', { policies: ['safe-headers', 'scanners'] }),
      edit('Ben', 9, 'photos', { config: `request_body {\n\tmax_size 50GB\n}\n${CONFIG}` }),
      edit('Ada', 8, 'vault', { policies: ['safe-headers'], tags: ['office', 'secrets'] }),
      edit('Chloe', 5, 'chat', { tags: ['office', 'family'] }),
      edit('Ben', 3, 'wiki', { config: `header -Server\n${CONFIG}` }),
    ],
    [{ by: 'Ada', ago: 2, method: 'POST', path: '/vhosts/bulk', json: { operations } }],
  ];
}
