/**
 * The proofs by part, as `bun run prove PART` takes them: what each shows, and the programs that it needs
 * beside Caddy and a Chromium. A test file belongs to a part by its first line, `// proof: PART`.
 */

export type Part = {
  proves: string;
  /** Programs, each with the package of Debian that brings it: `PROGRAM:PACKAGE`, or a path of a file. */
  installs?: readonly string[];
  /** Programs of Debian's next release, which are only downloaded. */
  downloads?: readonly Download[];
  /** A folder of which it also runs what belongs elsewhere: with the newer Caddy, or all instead of a sample. */
  repeats?: { folder: string; how: 'newer Caddy' | 'in full' };
};

/** Programs that `scripts/fetch-debian` downloads, and the variable that names each to the tests. */
export const DOWNLOADS = {
  caddy: 'CADDY_NEXT',
  ntfy: 'NTFY',
  chasquid: 'CHASQUID',
  lego: 'LEGO_NEXT',
  promtool: 'PROMTOOL',
} as const;
export type Download = keyof typeof DOWNLOADS;

const NGINX = [
  'nginx:nginx-light',
  '/usr/lib/nginx/modules/ngx_stream_module.so:libnginx-mod-stream',
];
const AUTHORITY = ['lego:lego', 'pebble:pebble', 'knotd:knot', 'kdig:knot-dnsutils'];
const CONTAINERS = [
  'podman:podman',
  'crun:crun',
  'iptables:iptables',
  '/usr/lib/podman/netavark:netavark',
  '/usr/share/doc/busybox-static:busybox-static',
];

const PARTS = {
  caddys: {
    proves: 'Caddy itself, with the newer one and an unreleased one (CADDY_HEAD)',
    installs: ['curl:curl'],
    downloads: ['caddy'],
    repeats: { folder: 'test/caddy/', how: 'newer Caddy' },
  },
  chaos: {
    proves: 'kills, power cuts, outages and full disks',
    installs: [...CONTAINERS, ...AUTHORITY],
    downloads: ['ntfy', 'lego'],
    repeats: { folder: 'test/chaos/', how: 'in full' },
  },
  attack: { proves: 'what strangers and editors may try' },
  hub: { proves: 'all of the hub: many samples, limits, faults' },
  agent: { proves: 'all of the agent: many samples, limits, faults' },
  features: { proves: 'the core without features, and the program without each' },
  faults: {
    proves: 'explanations of sites that fail, with real services, and of sites that work',
    installs: [
      'nginx:nginx-light',
      'sshd:openssh-server',
      'postfix:postfix',
      'redis-server:redis-server',
      'mariadbd:mariadb-server-core',
      'node:nodejs',
      'curl:curl',
      '/usr/lib/python3/dist-packages/django/__init__.py:python3-django',
      ...CONTAINERS,
    ],
    downloads: ['caddy'],
    repeats: { folder: 'test/features/explain/faults/', how: 'newer Caddy' },
  },
  offline: {
    proves: 'that nothing leaves the machine but what is configured',
    installs: ['tcpdump:tcpdump', 'curl:curl'],
  },
  browser: { proves: 'every page of the dashboard in all its states' },
  program: { proves: 'the program and its commands as processes, and the binary' },
  firefox: { proves: 'the dashboard in Firefox', installs: ['firefox-esr:firefox-esr'] },
  messages: { proves: 'messages to real servers', downloads: ['ntfy', 'chasquid'] },
  oathtool: { proves: 'codes of authenticator apps', installs: ['oathtool:oathtool'] },
  acme: {
    proves: 'certificates by DNS, with pebble, knot and lego',
    installs: AUTHORITY,
    downloads: ['lego'],
  },
  nginx: { proves: 'moving from Nginx Proxy Manager, beside nginx', installs: NGINX },
  podman: { proves: 'sites of real containers', installs: CONTAINERS },
  docs: {
    proves: 'the files and commands of docs/',
    installs: [
      ...NGINX,
      'fail2ban-regex:fail2ban',
      'nft:nftables',
      'wg:wireguard-tools',
      'jq:jq',
      'dnsmasq:dnsmasq-base',
      'dig:bind9-dnsutils',
    ],
  },
  promtool: { proves: 'the rules for Prometheus', downloads: ['promtool'] },
  packages: { proves: 'the Debian packages', installs: ['lintian:lintian'] },
  systemd: { proves: 'the services under a live systemd', installs: ['systemd-analyze:systemd'] },
  images: {
    proves: 'the image, in a container',
    installs: [...CONTAINERS, ...AUTHORITY],
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
export const isPartName = (word: string): word is PartName => Object.hasOwn(PARTS, word);
export const partOf = (name: PartName): Part => PARTS[name];

/** The programs that only parts of the proofs have, by name. */
export const PROGRAMS_OF_PARTS: readonly string[] = [
  ...Object.keys(DOWNLOADS).filter((name) => name !== 'caddy'),
  ...PART_NAMES.flatMap((name) => partOf(name).installs ?? [])
    .map((one) => one.split(':')[0] ?? '')
    .filter((program) => !program.startsWith('/')),
];
