/** Outages of real parts, each of which has a beginning and an end. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventName } from '../../src/shared/events.ts';
import { selfSigned } from '../harness/certificate.ts';
import { linkCaddy, type Processes, type Site } from '../harness/fleet-processes.ts';
import { fill } from '../harness/mount.ts';
import type { Cut } from '../harness/relay.ts';
import { freePort } from '../harness/stack.ts';

export type Outage = {
  readonly event: EventName;
  /** A host or an agent, as the messages have it. */
  readonly about: string;
  begin(): Promise<void>;
  end(): Promise<void>;
};

/** Seconds. It has expired before the hub may report it. */
const SHORT_LIVED = 5;
const GOOD = 90 * 86_400;
/** Of a disk of 48 MB: 2 %. */
const LEFT_FREE = 1_000_000;

/** Cuts the link between the hub and an agent. */
export const cutAgent = ({ name, link }: Site, how: Cut): Outage => ({
  event: 'agent.unreachable',
  about: name,
  begin: () => link.cut(how),
  end: () => link.join(),
});

/** Ends a Caddy, and takes its program and the copy of that away, so that its agent cannot start it again. */
export const stopCaddy = ({ name, caddy, program, folder }: Site): Outage => ({
  event: 'proxy.down',
  about: name,
  async begin() {
    rmSync(program);
    rmSync(join(folder, 'data/caddy/programs'), { recursive: true, force: true });
    await caddy.kill();
  },
  end: async () => linkCaddy(program),
});

/** Fills the small disk of an agent, or that of the hub. */
export function fillDisk(folder: string, about: string): Outage {
  let empty = () => {};
  return {
    event: 'disk.full',
    about,
    async begin() {
      empty = fill(folder, LEFT_FREE);
    },
    end: async () => empty(),
  };
}

/** Ends the upstream of a site of the first agent, which it adds. @throws Error if it cannot */
export async function endUpstream({ call, sites }: Processes, host: string): Promise<Outage> {
  const port = freePort();
  const start = () => Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('up') });
  let server = start();
  const config = 'reverse_proxy {upstream}';
  const agents = sites.slice(0, 1).map(({ name }) => name);
  const json = { domain: `http://${host}`, config, upstream: `127.0.0.1:${port}`, agents };
  const { status, text } = await call('POST', '/vhosts', json);
  if (status !== 201) throw new Error(text);
  return {
    event: 'upstream.down',
    about: host,
    begin: () => server.stop(true),
    async end() {
      server = start();
    },
  };
}

/**
 * Lets the certificate of a site of the first agent, which it adds, expire after seconds, until there
 * is a new one. @throws Error if it cannot
 */
export async function expireCertificate({ call, sites }: Processes, host: string): Promise<Outage> {
  const [site] = sites as readonly [Site, ...Site[]];
  let id = 0;
  let number = 0;
  async function present(seconds: number): Promise<void> {
    // Another name, as Caddy need not read a file again that the same configuration names.
    const [certificate, key] = ['crt', 'key'].map((type) =>
      join(site.folder, `${host}-${number}.${type}`),
    ) as [string, string];
    number++;
    const pair = await selfSigned([host], seconds);
    writeFileSync(certificate, pair.certificate);
    writeFileSync(key, pair.key);
    const config = `tls ${certificate} ${key}\nrespond here`;
    const { status, text, body } =
      id === 0
        ? await call<{ id: number }>('POST', '/vhosts', {
            domain: host,
            config,
            agents: [site.name],
          })
        : await call<{ id: number }>('PUT', `/vhosts/${id}`, { config });
    if (status >= 300) throw new Error(text);
    id = body.id;
  }
  await present(GOOD);
  return {
    event: 'certificate.ending',
    about: host,
    begin: () => present(SHORT_LIVED),
    end: () => present(GOOD),
  };
}
