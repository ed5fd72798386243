/** Faults of what an upstream speaks: something else than the site sends. */

import { makeChain, makeIssuer, selfSigned } from '../../../harness/certificate.ts';
import { isRoot } from '../../../harness/unprivileged.ts';
import {
  startCamera,
  startClosing,
  startMinecraft,
  startMute,
  startPostgres,
} from '../services/banners.ts';
import { httpPort, type Stops } from '../services/listening.ts';
import {
  MARIADB,
  NGINX,
  NODE,
  OPENSSL,
  POSTFIX,
  REDIS,
  SSHD,
  startMariadb,
  startNginx,
  startNodeHttp2,
  startOpenssl,
  startOtherCaddy,
  startPostfix,
  startRedis,
  startSecureNginx,
  startSshd,
} from '../services/programs.ts';
import { type Fault, forwarding, leadingTo } from './fault.ts';

const NO_NGINX = NGINX === null && 'no nginx';

/** A site that leads to the wrong port. */
const withPort =
  (start: (stops: Stops) => Promise<number>): Fault['stage'] =>
  async ({ stops }) => ({
    site: forwarding(`127.0.0.1:${await start(stops)}`),
    instead: leadingTo(stops),
  });

export const SPEAK: readonly Fault[] = [
  {
    name: 'openssl speaks only HTTPS, with a certificate that signs itself',
    missing: OPENSSL === null && 'no openssl',
    cause: 'SPEAKS_TLS',
    hasOperation: true,
    stage: async ({ stops }) => {
      const port = await startOpenssl(stops, await selfSigned(['nas']));
      return { site: forwarding(`127.0.0.1:${port}`) };
    },
  },
  {
    name: 'openssl speaks only HTTPS, with a certificate of an own authority',
    missing: OPENSSL === null && 'no openssl',
    cause: 'SPEAKS_TLS',
    hasOperation: true,
    stage: async ({ stops }) => {
      const issuer = await makeIssuer('Home authority');
      const { chain, key } = await makeChain({ names: ['nas.home'], days: 30, issuer });
      const port = await startOpenssl(stops, { certificate: chain, key });
      return { site: forwarding(`127.0.0.1:${port}`) };
    },
  },
  {
    name: 'nginx answers 400 in words to plain HTTP on its port for HTTPS',
    missing: NO_NGINX,
    cause: 'SPEAKS_TLS',
    hasOperation: true,
    stage: async ({ stops }) => {
      const port = await startSecureNginx(stops);
      return { site: forwarding(`127.0.0.1:${port}`) };
    },
  },
  {
    name: 'another Caddy, whose HTTPS is for its own name alone',
    cause: 'SPEAKS_TLS',
    hasOperation: false,
    stage: async ({ stops }) => ({
      site: forwarding(`127.0.0.1:${await startOtherCaddy(stops)}`),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'HTTPS to a service that speaks plain HTTP',
    cause: 'SPEAKS_PLAIN',
    hasOperation: true,
    stage: ({ stops }) => ({
      site: forwarding(`https://127.0.0.1:${httpPort(stops, () => new Response('up'))}`),
    }),
  },
  {
    name: 'HTTPS to a certificate that signs itself',
    missing: OPENSSL === null && 'no openssl',
    cause: 'UPSTREAM_UNTRUSTED',
    hasOperation: true,
    stage: async ({ stops }) => {
      const port = await startOpenssl(stops, await selfSigned(['nas']));
      return { site: forwarding(`https://127.0.0.1:${port}`) };
    },
  },
  {
    name: 'HTTPS to a certificate that has expired',
    missing: OPENSSL === null && 'no openssl',
    cause: 'UPSTREAM_UNTRUSTED',
    names: /expired/i,
    hasOperation: true,
    stage: async ({ stops }) => {
      const port = await startOpenssl(stops, await selfSigned(['nas'], -1));
      return { site: forwarding(`https://127.0.0.1:${port}`) };
    },
  },
  {
    name: 'an SSH server (OpenSSH)',
    missing: SSHD === null && 'no sshd',
    cause: 'NOT_HTTP',
    names: /SSH/,
    hasOperation: false,
    stage: withPort(startSshd),
  },
  {
    name: 'a database (MariaDB)',
    missing: MARIADB === null && 'no mariadbd',
    cause: 'NOT_HTTP',
    names: /MySQL|MariaDB/,
    hasOperation: false,
    stage: withPort(startMariadb),
  },
  {
    name: 'a mail server (Postfix)',
    missing: (POSTFIX === null || !isRoot) && 'no postfix, or not root',
    cause: 'NOT_HTTP',
    names: /SMTP|mail/i,
    hasOperation: false,
    stage: withPort(startPostfix),
  },
  {
    name: 'a camera, by RTSP',
    cause: 'NOT_HTTP',
    names: /RTSP/,
    hasOperation: false,
    stage: withPort(startCamera),
  },
  {
    name: 'Redis, which closes without a word for HTTP',
    missing: REDIS === null && 'no redis-server',
    cause: 'NOT_HTTP',
    names: /Redis/,
    hasOperation: false,
    stage: withPort(startRedis),
  },
  {
    name: 'PostgreSQL, which closes without a word',
    cause: 'CLOSES',
    hasOperation: false,
    stage: withPort(startPostgres),
  },
  {
    name: 'Minecraft, which closes without a word',
    cause: 'CLOSES',
    hasOperation: false,
    stage: withPort(startMinecraft),
  },
  {
    name: 'what closes every connection at once',
    cause: 'CLOSES',
    hasOperation: false,
    stage: withPort(startClosing),
  },
  {
    name: 'what never says a word',
    cause: 'HANGS',
    isSilent: true,
    hasOperation: false,
    stage: withPort(startMute),
  },
  {
    name: 'HTTPS to what never answers a handshake',
    cause: 'HANGS',
    warned: 'UPSTREAM_DOWN',
    isSilent: true,
    hasOperation: false,
    stage: async ({ stops }) => ({
      site: forwarding(`https://127.0.0.1:${await startMute(stops)}`),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'nginx that speaks HTTP/2 only, without TLS',
    missing: NO_NGINX,
    cause: 'SPEAKS_H2',
    hasOperation: true,
    stage: async ({ stops }) => {
      const { port } = await startNginx(
        stops,
        (port) => `server { listen 127.0.0.1:${port} http2; location / { return 200 up; } }`,
      );
      return { site: forwarding(`127.0.0.1:${port}`) };
    },
  },
  {
    name: 'Node that speaks HTTP/2 only, without TLS',
    missing: NODE === null && 'no node',
    cause: 'SPEAKS_H2',
    hasOperation: true,
    stage: async ({ stops }) => ({
      site: forwarding(`127.0.0.1:${await startNodeHttp2(stops, null)}`),
    }),
  },
  {
    name: 'Node that speaks HTTP/2 only, over TLS',
    missing: NODE === null && 'no node',
    cause: 'SPEAKS_TLS',
    hasOperation: true,
    stage: async ({ stops }) => {
      const port = await startNodeHttp2(stops, await selfSigned(['nas']));
      return { site: forwarding(`127.0.0.1:${port}`) };
    },
  },
];
