/** Upstreams that work, in all the ways in which services of a house do. */
import { createServer as createTlsServer } from 'node:https';
import { selfSigned } from '../../../harness/certificate.ts';
import { httpPort, portOf, type Stops } from './listening.ts';

/** How an upstream answers that works. */
const ANSWERS: Readonly<
  Record<string, (request: Request, url: URL) => Response | Promise<Response>>
> = {
  'answers 200': () => new Response('up'),
  'answers 204': () => new Response(null, { status: 204 }),
  'asks for a password': () =>
    new Response('who?', { status: 401, headers: { 'WWW-Authenticate': 'Basic' } }),
  'has nothing at /': () => new Response('nothing here', { status: 404 }),
  'takes a second': async () => {
    await Bun.sleep(1_000);
    return new Response('at last');
  },
  'redirects to its page': (_, { pathname }) => leading(pathname, '/home/'),
  'redirects to its page, by its whole address': ({ headers }, { pathname }) =>
    leading(pathname, `http://${headers.get('host')}/login`),
  'redirects to a sign-in elsewhere': () =>
    moved('https://id.example.org/authorize?client=one&return=here'),
  'wants other methods': () => new Response('POST only', { status: 405 }),
  'says that it was called too often': () => new Response('later', { status: 429 }),
};
export const KINDS = Object.keys(ANSWERS);

const moved = (to: string) => new Response(null, { status: 302, headers: { Location: to } });
/** Only `/` leads elsewhere. */
const leading = (from: string, to: string) => (from === '/' ? moved(to) : new Response('home'));

/** @param kind one of `KINDS` @returns `host:port` */
export const startHealthy = (stops: Stops, kind: string): string =>
  `127.0.0.1:${httpPort(stops, ANSWERS[kind] ?? (() => new Response()))}`;

/** A service that speaks only HTTPS, with a certificate that nobody trusts. @returns `host:port` */
export async function startHealthyTls(stops: Stops): Promise<string> {
  const { certificate: cert, key } = await selfSigned(['appliance']);
  const server = createTlsServer({ cert, key }, (_, response) => response.end('up'));
  stops.add(() => server.closeAllConnections());
  return `127.0.0.1:${await portOf(server, stops)}`;
}

/** A sign-in service. @param knows whether it takes every visitor for somebody who is signed in */
export const startSignIn = (stops: Stops, knows: boolean): string =>
  `127.0.0.1:${httpPort(stops, () =>
    knows
      ? new Response(null, { headers: { 'Remote-User': 'ada' } })
      : moved('https://auth.example.org/?rd=here'),
  )}`;
