/** Asks a configuration for real: a Caddy with its text, whose services are the real ones. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, temporaryFolder, until } from '../../../harness/stack.ts';
import { createClient, type Response } from './client.ts';
import { type Config, type Ports, render } from './configs.ts';
import { covers, type Logged, nameOf } from './traffic.ts';
import type { Got } from './upstreams.ts';

/** What counts of a response. */
export type Sight = {
  status: number | null;
  /** The upstream, or those of its pool, in the order of their names. */
  to: string | null;
  location: string | null;
  path: string | null;
  user: string;
  authenticate: string | null;
  retryAfter: string | null;
  length: number | null;
  type: string | null;
  /** Whether the response is the empty one of Caddy's, as no site has the host. */
  noSite: boolean;
};

export type Judge = Awaited<ReturnType<typeof startJudge>>;

const NOTHING: Sight = {
  status: null,
  to: null,
  location: null,
  path: null,
  user: '',
  authenticate: null,
  retryAfter: null,
  length: null,
  type: null,
  noSite: false,
};

const AT_ONCE = 8;

/** @param byProxy whether this Caddy can be told a visitor's address */
export async function startJudge(byProxy: boolean) {
  const folder = temporaryFolder();
  const endpoint = `127.0.0.1:${freePort()}`;
  const child = Bun.spawn(['caddy', 'run', '--config', '-'], {
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stdin: new Blob([JSON.stringify({ admin: { listen: endpoint, config: { persist: false } } })]),
    stdout: 'ignore',
    stderr: Bun.file(join(folder, 'log')),
  });
  /** What Caddy has said of a name, for whoever reads why a test failed. */
  const saidOf = (name: string) =>
    readFileSync(join(folder, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(name))
      .slice(-5)
      .join('\n');
  const isUp = () => fetch(`http://${endpoint}/config/`).then(({ ok }) => ok);
  await until(() => isUp().catch(() => false), 'Caddy to start');
  const options = [
    `admin ${endpoint}`,
    ...(byProxy
      ? [
          'servers {',
          '\tlistener_wrappers {\n\t\tproxy_protocol {\n\t\t\tallow 127.0.0.0/8\n\t\t}\n\t\ttls\n\t}',
          '}',
        ]
      : []),
  ];
  const post = (path: string, body: string, type: string) =>
    fetch(`http://${endpoint}${path}`, { method: 'POST', headers: { 'Content-Type': type }, body });

  /** @returns false if Caddy refuses it */
  async function load({ sites }: Config, ports: Ports): Promise<boolean> {
    // Without one by HTTP, Caddy makes a server for its redirects that does not know the PROXY protocol.
    const other = { name: 'judge.invalid', tls: false, isApart: false, parts: ['respond 404'] };
    const config = { sites: [...sites, other] };
    const adapted = await post('/adapt', render(config, ports, options), 'text/caddyfile');
    if (!adapted.ok) return false;
    const { result } = (await adapted.json()) as { result: object };
    const loaded = await post('/load', JSON.stringify(result), 'application/json');
    return loaded.ok;
  }

  return {
    /**
     * What each request would see; null if Caddy refuses the configuration.
     * @param logged the ports that hosts in the log name
     * @param signedIn whether visitors are
     */
    async see(
      config: Config,
      all: readonly Logged[],
      logged: Ports,
      signedIn = false,
    ): Promise<Sight[] | null> {
      // On the same ones, the previous configuration would answer for a moment.
      const ports = { http: freePort(), https: freePort(), plain: freePort(), secure: freePort() };
      if (!(await load(config, ports))) return null;
      const back = new Map(
        (['plain', 'secure'] as const).map((name) => [String(ports[name]), String(logged[name])]),
      );
      const poolOf = poolsIn(config);
      const client = createClient(byProxy);
      await ready(config, ports, all, client, saidOf);
      const seen: Sight[] = [];
      const rest = inTurns(all, (one) => client.keyOf(portOf(one, ports, logged), one)).values();
      const work = async () => {
        for (const group of rest) {
          for (const at of group) {
            const one = all[at] as Logged;
            const response = await client.ask(portOf(one, ports, logged), one, signedIn);
            const sight = response ? sightOf(response, back, poolOf) : NOTHING;
            const isEmpty = sight.status === 200 && sight.to === null && sight.location === null;
            seen[at] = { ...sight, noSite: isEmpty && !hasSite(config, one, logged) };
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      client.close();
      return seen;
    },
    async stop() {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From Caddy's first try to get a certificate to the second, and what either takes, in milliseconds. */
const TWO_TRIES = 75_000;

/** Caddy makes certificates once it serves, one by one, and tries again after a minute if it could not. */
async function ready(
  { sites }: Config,
  ports: Ports,
  all: readonly Logged[],
  client: ReturnType<typeof createClient>,
  saidOf: (name: string) => string,
): Promise<void> {
  const example = all[0] as Logged;
  await Promise.all(
    sites
      .filter(({ name, tls }) => tls && name !== '')
      .map(({ name, isApart }) => {
        const host = name.replace('*', 'any');
        const port = isApart ? ports.secure : ports.https;
        const asked = { ...example, tls: true, host, method: 'OPTIONS', uri: '*' };
        const what = `a certificate for ${name}`;
        return until(() => client.ask(port, asked), what, TWO_TRIES).catch((error: Error) => {
          throw new Error(`${error.message}\n${saidOf(name)}`);
        });
      }),
  );
}

/** By connection: one gets its requests one after the other. */
function inTurns(all: readonly Logged[], keyOf: (one: Logged) => string): number[][] {
  const groups = Map.groupBy(all.keys(), (at) => keyOf(all[at] as Logged));
  return [...groups.values()];
}

function portOf({ host, tls }: Logged, ports: Ports, logged: Ports): number {
  const port = Number(/:(\d+)$/.exec(host)?.[1]);
  if (port === logged.plain) return ports.plain;
  if (port === logged.secure) return ports.secure;
  return tls ? ports.https : ports.http;
}

/** Whether a site has the host on the port that was asked. */
function hasSite({ sites }: Config, { host, tls }: Logged, logged: Ports): boolean {
  const port = Number(/:(\d+)$/.exec(host)?.[1]);
  const isApart = port === logged.plain || port === logged.secure;
  return sites.some(
    (site) =>
      site.isApart === isApart &&
      (site.tls === tls || site.isBoth === true) &&
      covers(site.name, nameOf(host)),
  );
}

/** By upstream, all of the pool that it is in. */
function poolsIn({ sites }: Config): ReadonlyMap<string, string> {
  const pools = sites.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      [...part.matchAll(/reverse_proxy ((?:127\S+ )*127\S+)/g)].map(([, pool = '']) =>
        pool.split(' ').toSorted(),
      ),
    ),
  );
  return new Map(
    pools
      .toSorted((a, b) => a.length - b.length)
      .flatMap((pool) => pool.map((one) => [one, pool.join(' ')] as const)),
  );
}

function sightOf(
  { status, headers }: Response,
  back: ReadonlyMap<string, string>,
  poolOf: ReadonlyMap<string, string>,
): Sight {
  const got: Got | null = headers['x-got']
    ? JSON.parse(decodeURIComponent(headers['x-got']))
    : null;
  const isFile = got === null && headers['last-modified'] !== undefined && status === 200;
  const location = headers.location?.replace(/:(\d+)(?=\/|$)/, (port, digits) =>
    back.has(digits) ? `:${back.get(digits)}` : port,
  );
  return {
    status,
    to: got ? (poolOf.get(got.to) ?? got.to) : null,
    location: location ?? null,
    path: got?.path ?? null,
    user: got?.user ?? '',
    authenticate: headers['www-authenticate'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
    length: isFile ? Number(headers['content-length']) : null,
    type: isFile ? (headers['content-type'] ?? null) : null,
    noSite: false,
  };
}
