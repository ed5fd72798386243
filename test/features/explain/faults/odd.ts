/** Sites that look like a fault and are none, and faults about which nothing is certain. */

import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import type { Cause } from '../../../../src/features/explain/words.ts';
import { makeChain, makeIssuer, selfSigned } from '../../../harness/certificate.ts';
import { freePort } from '../../../harness/stack.ts';
import { startHealthy, startSignIn } from '../services/healthy.ts';
import { httpPort, portOf, rawPort, type Stops } from '../services/listening.ts';
import { NGINX, NODE, startNginx, startNodeHttp2 } from '../services/programs.ts';
import { forwarding, type Place, type Site } from './fault.ts';

type Odd = {
  name: string;
  missing?: string | false;
  /** `works`; or, for what cannot be told for certain, the causes that may be named; null: none. */
  said: 'works' | (Cause | null)[];
  stage(place: Place): Site | Promise<Site>;
};

const says =
  (status: number, more: Record<string, string> = {}) =>
  () =>
    new Response('said', { status, headers: more });
const raw = (text: string) => (place: Place) =>
  rawPort(place.stops, (socket) => {
    socket.once('data', () => socket.end(text));
  }).then((port) => forwarding(`127.0.0.1:${port}`));

/** A policy whose service sends everybody to a page, and a service for what is behind it. */
async function signInAt(page: string, policy: Place['policy'], stops: Stops) {
  const address = `127.0.0.1:${httpPort(stops, () => Response.redirect(page))}`;
  const values = { address, uri: '/verify', copyHeaders: ['Remote-User'] };
  return {
    name: await policy('forward-auth', values),
    service: forwarding(startHealthy(stops, 'answers 200')),
  };
}

export const ODD: readonly Odd[] = [
  {
    name: 'storage that answers 403 to strangers, as S3 does',
    said: 'works',
    stage: ({ stops }) => forwarding(`127.0.0.1:${httpPort(stops, says(403))}`),
  },
  {
    name: 'a service that answers by HTTP/1.0',
    said: 'works',
    stage: raw('HTTP/1.0 200 OK\r\nServer: SimpleHTTP/0.6 Python/3.11.2\r\n\r\nhello'),
  },
  {
    name: 'a service that hints early',
    said: 'works',
    stage: raw(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup',
    ),
  },
  {
    name: 'a service on IPv6 alone',
    said: 'works',
    stage: ({ stops }) => {
      const server = Bun.serve({ hostname: '::1', port: 0, fetch: says(200) });
      stops.add(() => server.stop(true));
      return forwarding(`[::1]:${server.port}`);
    },
  },
  {
    name: 'a service at a socket',
    said: 'works',
    stage: ({ stops, folder }) => {
      const unix = join(folder, 'service.sock');
      const server = Bun.serve({ unix, fetch: says(200) });
      stops.add(() => server.stop(true));
      return { config: `reverse_proxy unix/${unix}` };
    },
  },
  {
    name: 'HTTP/2 without TLS, as the site says',
    missing: NGINX === null && 'no nginx',
    said: 'works',
    stage: async ({ stops }) => {
      const block = (port: number) =>
        `server { listen 127.0.0.1:${port} http2; location / { return 200 up; } }`;
      return forwarding(`h2c://127.0.0.1:${(await startNginx(stops, block)).port}`);
    },
  },
  {
    name: 'HTTP/2 alone over TLS, which Caddy chooses in the handshake',
    missing: NODE === null && 'no node',
    said: 'works',
    stage: async ({ stops }) => {
      const port = await startNodeHttp2(stops, await selfSigned(['nas']));
      const transport = '\ttransport http {\n\t\ttls_insecure_skip_verify\n\t}';
      return { config: `reverse_proxy https://127.0.0.1:${port} {\n${transport}\n}` };
    },
  },
  {
    name: 'HTTPS of an own authority that the site trusts',
    said: 'works',
    stage: async ({ stops, folder }) => {
      const issuer = await makeIssuer('Home authority');
      const names = ['localhost'];
      const { chain, key } = await makeChain({ names, days: 30, issuer });
      const file = join(folder, 'home-authority.pem');
      writeFileSync(file, issuer.certificate);
      const server = createTlsServer({ cert: chain, key }, (_, response) => response.end('up'));
      stops.add(() => server.closeAllConnections());
      const port = await portOf(server, stops);
      const transport = `\ttransport http {\n\t\ttls_trusted_ca_certs ${file}\n\t\ttls_server_name localhost\n\t}`;
      return { config: `reverse_proxy https://127.0.0.1:${port} {\n${transport}\n}` };
    },
  },
  {
    name: 'several names, one of them a wildcard',
    said: 'works',
    stage: ({ stops }) => ({
      domain: 'http://first.example',
      config: `http://first.example, http://*.second.example {\n\treverse_proxy ${startHealthy(stops, 'answers 200')}\n}`,
    }),
  },
  {
    name: 'a sign-in whose page is another site of the same Caddy',
    said: 'works',
    stage: async ({ stops, policy, add }) => {
      await add({ domain: 'http://portal.example', config: 'respond "sign in"' });
      const { name, service } = await signInAt('http://portal.example/', policy, stops);
      return { ...service, policies: [name] };
    },
  },
  {
    name: 'a sign-in whose page is another site, behind the same sign-in',
    said: ['SIGN_IN_LOOP'],
    stage: async ({ stops, policy, add }) => {
      const { name, service } = await signInAt('http://guarded-portal.example/', policy, stops);
      await add({ domain: 'http://guarded-portal.example', ...service, policies: [name] });
      return { ...service, policies: [name] };
    },
  },
  {
    name: 'a sign-in whose page is another site, and that is dead',
    said: ['SIGN_IN_DOWN'],
    stage: async ({ stops, policy, add }) => {
      const { name, service } = await signInAt('http://dead-portal.example/', policy, stops);
      await add({ domain: 'http://dead-portal.example', ...forwarding(`127.0.0.1:${freePort()}`) });
      return { ...service, policies: [name] };
    },
  },
  {
    name: 'a sign-in service that is asked for a path that it does not have',
    said: [null],
    stage: async ({ stops, policy }) => {
      const address = `127.0.0.1:${httpPort(stops, says(404))}`;
      const values = { address, uri: '/api/verify', copyHeaders: ['Remote-User'] };
      const service = forwarding(startHealthy(stops, 'answers 200'));
      return { ...service, policies: [await policy('forward-auth', values)] };
    },
  },
  {
    name: 'a dead service behind a sign-in that lets nobody in',
    said: ['UPSTREAM_REFUSED'],
    stage: async ({ stops, policy }) => ({
      ...forwarding(`127.0.0.1:${freePort()}`),
      policies: [await policy('authelia', { address: startSignIn(stops, false) })],
    }),
  },
  {
    name: 'a dead service with an error page of its own',
    said: ['UPSTREAM_REFUSED'],
    stage: () => ({
      config: `reverse_proxy 127.0.0.1:${freePort()}\nhandle_errors {\n\trespond "back soon" 200\n}`,
    }),
  },
  {
    name: 'one of two upstreams is dead, and Caddy goes to the other one',
    said: ['UPSTREAM_REFUSED', null],
    stage: ({ stops }) => ({
      config: `reverse_proxy ${startHealthy(stops, 'answers 200')} 127.0.0.1:${freePort()} {\n\tlb_try_duration 5s\n\tfail_duration 10s\n}`,
    }),
  },
  {
    name: 'an upstream that depends on the request',
    said: [null],
    stage: ({ stops }) => {
      const port = httpPort(stops, says(200));
      return { config: `reverse_proxy 127.0.0.1:{http.request.header.X-Port} 127.0.0.1:${port}` };
    },
  },
  {
    name: 'upstreams that Caddy looks up itself',
    said: [null],
    stage: ({ stops }) => ({
      config: `reverse_proxy {\n\tdynamic a localhost ${httpPort(stops, says(200))}\n}`,
    }),
  },
  {
    name: 'an answer that Caddy takes for broken',
    said: ['NOT_HTTP', null],
    stage: raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nup'),
  },
  {
    name: 'a redirect to HTTPS of the same name, which nobody serves here',
    said: ['REDIRECT_LOOP', 'REDIRECT_ELSEWHERE', null],
    stage: ({ stops }) => {
      const port = httpPort(stops, ({ headers }) =>
        Response.redirect(`https://${headers.get('host')}/`),
      );
      return forwarding(`127.0.0.1:${port}`);
    },
  },
  {
    name: 'a website of somebody else by its address, which wants a name in the handshake',
    said: ['UPSTREAM_UNTRUSTED', null],
    stage: async ({ stops }) => {
      // As nginx does with ssl_reject_handshake: an alert instead of a certificate.
      const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70]);
      const port = await rawPort(stops, (socket) => {
        socket.once('data', () => socket.end(alert));
      });
      return forwarding(`https://127.0.0.1:${port}`);
    },
  },
];
