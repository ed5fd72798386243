/** The machines behind a Nginx Proxy Manager, on loopback: each answers with what it got. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { selfSigned } from './certificate.ts';
import { HAS_IPV6, movedPort } from './npm.ts';

const MACHINES: Readonly<Record<string, readonly number[]>> = {
  '127.10.0.5': [80, 3000, 8000, 8080, 8081, 8096, 9000],
  '127.10.0.6': [7878, 8000, 8081, 8443, 9000, 9091, 9443],
  '127.168.1.10': [8123],
  '127.168.1.11': [5000, 8443],
  '127.172.0.5': [80],
  ...(HAS_IPV6 && { '::1': [8080] }),
};
const BY_TLS = [8443, 9443];
/** Asks whether somebody is signed in; the others are applications. */
const SIGN_IN = 9091;

/** What a request was when it arrived. */
export type Got = {
  upstream: string;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
};

/** @returns what ends them */
export async function startLan(): Promise<() => void> {
  const { certificate: cert, key } = await selfSigned(['lan']);
  const servers = await Promise.all(
    Object.entries(MACHINES).flatMap(([address, ports]) =>
      ports.map(async (port) => {
        const isTls = BY_TLS.includes(port);
        const name = `http${isTls ? 's' : ''}://${address}:${movedPort(port)}`;
        const answer = port === SIGN_IN ? askedWho : answeredBy(name);
        const server = isTls ? createTlsServer({ cert, key }, answer) : createServer(answer);
        server.on('upgrade', (request, socket) => {
          socket.end(
            `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Got: ${encodeURIComponent(gotBy(name, request))}\r\n\r\n`,
          );
        });
        await new Promise<void>((resolve, reject) => {
          server.on('error', reject);
          server.listen(movedPort(port), address, resolve);
        });
        return server;
      }),
    ),
  );
  return () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
}

const gotBy = (upstream: string, { url = '', method = '', headers }: IncomingMessage): string =>
  JSON.stringify({ upstream, url, method, headers });

const answeredBy =
  (name: string): RequestListener =>
  (request, response) => {
    const got = gotBy(name, request);
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(got),
      'X-Powered-By': 'echo',
      // A POST on a connection that is closed at that moment would fail.
      Connection: 'close',
      'X-Got': encodeURIComponent(got),
    });
    response.end(got);
  };

const askedWho: RequestListener = (request, response) => {
  const isKnown = request.headers.cookie?.includes('authelia_session=good') ?? false;
  response.writeHead(isKnown ? 200 : 401, { 'Remote-User': 'jane', 'Remote-Groups': 'admins' });
  response.end();
};
