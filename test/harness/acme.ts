/** A real certificate authority and the DNS it asks: pebble and knot, the first on the PATH. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSelfSigned } from '../../src/shared/x509.ts';
import { findServer, startServer } from './server-process.ts';
import { freePort, temporaryFolder, until } from './stack.ts';

const PEBBLE = findServer('PEBBLE', 'pebble');
const KNOT = findServer('KNOT', 'knotd') ?? Bun.which('/usr/sbin/knotd');
/** Debian's, or another. */
export const LEGO = findServer('LEGO', 'lego');
/** The same, and a newer one if `LEGO_NEXT` names it. */
export const LEGOS = [LEGO, process.env.LEGO_NEXT].flatMap((bin) => bin || []);
/** False: the tests that need them are left out. */
export const HAS_ACME = PEBBLE !== null && KNOT !== null && LEGO !== null;

/** The only zone. */
const ZONE = 'home.example';

/** What pebble logs once for each. */
export const NEW_ACCOUNT = 'accounts in memory';
export const NEW_ORDER = 'Added order';

/** As an order names it. */
type AcmeDns = {
  provider: 'rfc2136';
  credentials: Record<string, string>;
  resolvers: string[];
  wait: number;
};

export type Dns = {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** How an order reaches it. The nameserver is not asked by itself: that needs port 53. */
  readonly spec: AcmeDns;
  /** The TXT records of a name, asked over TCP with knot's own `kdig`. */
  records(name: string): string[];
  /** How often the zone has changed. */
  changes(): number;
  stop(): Promise<void>;
};

export type Acme = {
  readonly directory: string;
  /** A PEM file: who trusts it believes that the directory is the directory. */
  readonly roots: string;
  /** The PEM of the root that issues. */
  readonly issuer: string;
  readonly dns: Dns;
  /** How often pebble logged these words, such as `NEW_ORDER`. */
  logged(words: string): number;
  /** Ends pebble alone. */
  kill(): Promise<void>;
  /** Ends both, and removes what they have. */
  stop(): Promise<void>;
};

/**
 * Starts knot with the zone and a key that may change it.
 * @param host where it listens
 * @throws Error if it does not start
 */
export async function startDns(host = '127.0.0.1'): Promise<Dns> {
  if (KNOT === null) throw new Error('no knot');
  const folder = temporaryFolder();
  const port = freePort();
  const address = `${host}:${port}`;
  const secret = crypto.getRandomValues(Buffer.alloc(32)).toString('base64');
  const config = `
server:
    rundir: ${folder}
    listen: ${host}@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: ${join(folder, 'db')}
key:
  - id: signalbox
    algorithm: hmac-sha256
    secret: ${secret}
acl:
  - id: signalbox
    key: signalbox
    action: update
zone:
  - domain: ${ZONE}
    file: ${join(folder, 'zone')}
    acl: signalbox
    zonefile-sync: -1
    journal-content: all
`;
  const zone = `$TTL 60
@ SOA ns admin 1 3600 600 86400 60
@ NS ns
ns A 127.0.0.1
`;
  mkdirSync(join(folder, 'db'));
  writeFileSync(join(folder, 'zone'), `$ORIGIN ${ZONE}.\n${zone}`);
  const file = join(folder, 'knot.conf');
  writeFileSync(file, config, { mode: 0o600 });
  const kill = await startServer([KNOT, '-c', file], folder, port, {}, host);
  function ask(name: string, type: string): string[] {
    const words = [`@${host}`, '-p', String(port), '+tcp', '+short', '+timeout=5', name, type];
    const { stdout } = Bun.spawnSync(['kdig', ...words], { stderr: 'ignore' });
    return stdout.toString().split('\n').filter(Boolean);
  }
  return {
    address,
    spec: {
      provider: 'rfc2136',
      credentials: {
        RFC2136_NAMESERVER: address,
        RFC2136_TSIG_ALGORITHM: 'hmac-sha256.',
        RFC2136_TSIG_KEY: 'signalbox',
        RFC2136_TSIG_SECRET: secret,
        // Between two names; a minute unless it is set.
        RFC2136_SEQUENCE_INTERVAL: '1',
      },
      resolvers: [address],
      wait: 1,
    },
    records: (name) => ask(name, 'TXT'),
    // The serial number, from 1 on.
    changes: () => Number(ask(ZONE, 'SOA')[0]?.split(' ')[2]) - 1,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A stand-in DNS server, which knows no name, or never answers.
 * @returns its address and what ends it
 */
export async function standInDns(answers: 'nothing' | 'no such name') {
  const socket = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(from, query, port, address) {
        if (answers === 'nothing') return;
        const answer = Buffer.from(query);
        // A response, from whom it may concern: NXDOMAIN.
        answer[2] = 0x84;
        answer[3] = 0x03;
        from.send(answer, port, address);
      },
    },
  });
  return { address: `127.0.0.1:${socket.port}`, stop: () => socket.close() };
}

type AcmeOptions = {
  /** The percentage of good nonces that pebble rejects; none unless it is set. */
  nonceReject?: number;
  /** The DNS that pebble asks, `host:port`, if not that of the orders. */
  asks?: string;
  /** The address on which both listen; loopback unless it is set. */
  host?: string;
};

/** @throws Error if one of the two does not start */
export async function startAcme(options: AcmeOptions = {}): Promise<Acme> {
  if (PEBBLE === null) throw new Error('no pebble');
  const { host = '127.0.0.1' } = options;
  const dns = await startDns(host);
  const folder = temporaryFolder();
  const [port, management] = [freePort(), freePort()];
  const [now, day] = [Date.now(), 86_400_000];
  const own = await newSelfSigned(
    'localhost',
    ['localhost', host],
    new Date(now - day),
    new Date(now + day),
  );
  const [roots, key] = [join(folder, 'roots.pem'), join(folder, 'key.pem')];
  writeFileSync(roots, own.cert);
  writeFileSync(key, own.key, { mode: 0o600 });
  const config = {
    listenAddress: `${host}:${port}`,
    managementListenAddress: `${host}:${management}`,
    certificate: roots,
    privateKey: key,
    httpPort: freePort(),
    tlsPort: freePort(),
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  };
  const file = join(folder, 'pebble.json');
  writeFileSync(file, JSON.stringify({ pebble: config }));
  const env = {
    PEBBLE_VA_NOSLEEP: '1',
    // Each order is validated, but for one in a hundred for names that the account has proved: pebble asks
    // whether a number from 0 to 99 is above this. What must fail asks for other names, or nobody.
    PEBBLE_AUTHZREUSE: '0',
    PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 0),
  };
  const command = [PEBBLE, '-config', file, '-dnsserver', options.asks ?? dns.address];
  let kill = async () => {};
  const stop = async () => {
    await Promise.all([kill(), dns.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    kill = await startServer(command, folder, port, env, host);
    const url = `https://${host}:${management}/roots/0`;
    // It is opened after the other port.
    const answer = await until(
      () => fetch(url, { tls: { ca: own.cert } }).catch(() => null),
      'the roots of the authority',
    );
    return {
      directory: `https://${host}:${port}/dir`,
      roots,
      issuer: await answer.text(),
      dns,
      logged: (words) => readFileSync(join(folder, 'server.log'), 'utf8').split(words).length - 1,
      kill,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
