/** Faults of the way to an upstream: nothing is there, or nobody answers. */
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { freePort } from '../../../harness/stack.ts';
import { httpPort, type Stops } from '../services/listening.ts';
import { PERL, startDropping } from '../services/programs.ts';
import { type Fault, forwarding, leadingTo, type Stage } from './fault.ts';

/** Whether nothing but the hub is on this loopback: that of a container which was started for it. */
const IS_ALONE =
  ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)) &&
  (process.pid === 1 || process.ppid === 1);

/** An address that is not loopback: to the upstream it is as good as another machine's. */
const OTHER =
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;

/** A service that is only started later. */
function refused(stops: Stops, hostname: string): Stage {
  const port = freePort();
  return {
    site: forwarding(`${hostname}:${port}`),
    mend: () => {
      const server = Bun.serve({ hostname, port, fetch: () => new Response('up') });
      stops.add(() => server.stop(true));
    },
  };
}

export const CONNECT: readonly Fault[] = [
  {
    name: 'a port of this machine on which nothing listens',
    cause: IS_ALONE ? 'UPSTREAM_LOCALHOST' : 'UPSTREAM_REFUSED',
    hasOperation: false,
    stage: ({ stops }) => refused(stops, '127.0.0.1'),
  },
  {
    name: 'a port of another machine on which nothing listens',
    missing: OTHER === null && 'no network but loopback',
    cause: 'UPSTREAM_REFUSED',
    hasOperation: false,
    stage: ({ stops }) => refused(stops, OTHER ?? ''),
  },
  {
    name: 'a name that nobody knows',
    cause: 'UPSTREAM_NAME',
    names: /nas\.invalid/,
    hasOperation: false,
    stage: ({ stops }) => ({
      site: forwarding('nas.invalid:8080'),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'the name of a container',
    cause: 'UPSTREAM_NAME',
    names: /container/i,
    hasOperation: false,
    stage: ({ stops }) => ({ site: forwarding('jellyfin:8096'), instead: leadingTo(stops) }),
  },
  {
    name: 'a machine that drops what comes',
    missing: PERL === null && 'no perl',
    cause: 'UPSTREAM_TIMEOUT',
    hasOperation: false,
    stage: async ({ stops }) => ({
      site: forwarding(`127.0.0.1:${await startDropping(stops)}`),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'the port of Caddy itself',
    cause: 'UPSTREAM_ITSELF',
    isSilent: true,
    warned: 'UPSTREAM_IS_PROXY',
    hasOperation: false,
    stage: ({ stops, httpPort }) => ({
      site: forwarding(`127.0.0.1:${httpPort}`),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'one of two upstreams on which nothing listens',
    cause: IS_ALONE ? 'UPSTREAM_LOCALHOST' : 'UPSTREAM_REFUSED',
    isSilent: true,
    hasOperation: false,
    stage: ({ stops }) => {
      const [gone, there] = [freePort(), httpPort(stops, () => new Response('up'))];
      return {
        site: { config: `reverse_proxy 127.0.0.1:${there} 127.0.0.1:${gone}` },
        instead: { config: `reverse_proxy 127.0.0.1:${there}` },
      };
    },
  },
];
