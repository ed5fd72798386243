/** Asks a Caddy as a visitor from some address would, and keeps a connection for each visitor and name. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Logged } from './traffic.ts';
import { SIGNED_IN } from './upstreams.ts';

export type Response = { status: number; headers: Record<string, string> };

type Connection = {
  socket: Socket;
  /** Resolves once with what has come, or with null if it closed before that. */
  ask: (request: string, isHead: boolean) => Promise<Response | null>;
};

/**
 * @param byProxy whether the address is said by the PROXY protocol; else it is that of the socket
 */
export function createClient(byProxy: boolean) {
  const connections = new Map<string, Promise<Connection | null>>();

  async function open(port: number, ip: string, name: string | null): Promise<Connection | null> {
    const plain = connect({ host: '127.0.0.1', port, ...(!byProxy && { localAddress: ip }) });
    plain.setNoDelay(true);
    plain.on('error', () => undefined);
    await new Promise((resolve) => {
      plain.once('connect', resolve);
      plain.once('close', resolve);
    });
    // Nothing is served there.
    if (plain.destroyed) return null;
    if (byProxy) {
      const family = ip.includes(':') ? 'TCP6' : 'TCP4';
      const own = ip.includes(':') ? '::1' : '127.0.0.1';
      plain.write(`PROXY ${family} ${ip} ${own} 40000 ${port}\r\n`);
    }
    if (name === null) return reading(plain);
    const secure = connectTls({ socket: plain, servername: name, rejectUnauthorized: false });
    secure.on('error', () => undefined);
    return new Promise((resolve) => {
      secure.once('secureConnect', () => resolve(reading(secure)));
      secure.once('close', () => resolve(null));
      plain.once('close', () => resolve(null));
    });
  }

  return {
    /** Of its connection, which has one request at a time. */
    keyOf,
    /** @param port where it is served @returns null if there is no response */
    async ask(port: number, logged: Logged, signedIn = false): Promise<Response | null> {
      const { ip, tls, method, host, uri, headers } = logged;
      const key = keyOf(port, logged);
      const name = tls ? nameOf(host) : null;
      const kept = connections.get(key);
      const lines = Object.entries({
        Host: host,
        ...headers,
        ...(signedIn && { Cookie: SIGNED_IN }),
        ...(['POST', 'PUT', 'PATCH'].includes(method) && { 'Content-Length': '0' }),
      }).map(([header, value]) => `${header}: ${value}\r\n`);
      const request = `${method} ${uri} HTTP/1.1\r\n${lines.join('')}\r\n`;
      const send = async (on: Promise<Connection | null>) => {
        const connection = await on;
        const response = await connection?.ask(request, method === 'HEAD');
        if (!response || response.headers.connection === 'close') {
          connection?.socket.destroy();
          connections.delete(key);
        }
        return response ?? null;
      };
      const first = kept ? await send(kept) : null;
      if (first) return first;
      const fresh = open(port, ip, name);
      connections.set(key, fresh);
      return send(fresh);
    },
    close() {
      for (const one of connections.values()) void one.then((open) => open?.socket.destroy());
      connections.clear();
    },
  };
}

const nameOf = (host: string): string => host.replace(/:\d+$/, '');

const keyOf = (port: number, { ip, tls, host }: Logged): string =>
  `${port} ${ip} ${tls ? nameOf(host) : null}`;

function reading(socket: Socket): Connection {
  let bytes = Buffer.alloc(0);
  let finish: (() => void) | null = null;
  let closed = false;
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    finish?.();
  });
  socket.on('close', () => {
    closed = true;
    finish?.();
  });
  return {
    socket,
    ask: (request, isHead) =>
      new Promise((resolve) => {
        bytes = Buffer.alloc(0);
        finish = () => {
          const response = wholeResponse(bytes, isHead);
          if (!response && !closed) return;
          finish = null;
          resolve(response);
        };
        if (closed) finish();
        else socket.write(request);
      }),
  };
}

/** Null until it is whole. */
function wholeResponse(bytes: Buffer, isHead: boolean): Response | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = bytes.toString('utf8', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = value;
  }
  const status = Number(first.split(' ')[1]);
  const hasBody = !isHead && status !== 204 && status !== 304;
  if (hasBody && headers['transfer-encoding'] === 'chunked') {
    if (!bytes.subarray(end).toString('latin1').endsWith('0\r\n\r\n')) return null;
  } else if (hasBody && bytes.length < end + 4 + Number(headers['content-length'] ?? 0)) {
    return null;
  }
  return { status, headers };
}
