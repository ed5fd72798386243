/** Stands for every upstream and sign-in service of a replay, and says who it was asked as. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { MARK } from './config/routes.ts';

type Echo = {
  /** `host:port`; on loopback. */
  readonly address: string;
  /** Whether sign-in services let visitors in from now on. */
  signIn(isSignedIn: boolean): void;
  close(): Promise<void>;
};

/** What an upstream was asked. */
export type Echoed = {
  to: string;
  isSignIn: boolean;
  /** With its query. */
  path: string;
  /** The headers that a sign-in service adds, one per line; empty without any. */
  user: string;
};

const END = '\r\n\r\n';
/** Of a head: more than Caddy takes from a visitor, by default 1 MB. */
const MOST_CHARACTERS = 2 << 20;

/** What sign-in services say of a visitor who is signed in. */
const SOMEBODY = 'somebody';

/**
 * @param header in which a trial names the upstream, and this answers
 * @param identity the names of the headers that sign-in services add
 */
export async function startEcho(header: string, identity: readonly string[]): Promise<Echo> {
  const wanted = header.toLowerCase();
  let isSignedIn = false;
  function answerTo(head: string): string {
    const [line = '', ...lines] = head.split('\r\n');
    const headers = new Map<string, string>();
    for (const one of lines) {
      const at = one.indexOf(':');
      headers.set(one.slice(0, at).toLowerCase(), one.slice(at + 1).trim());
    }
    const name = headers.get(wanted);
    if (name === undefined) return 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
    const isSignIn = name.startsWith(MARK.signIn);
    const given = identity.flatMap((one) => {
      const value = headers.get(one);
      return value === undefined ? [] : [`${one}: ${value}`];
    });
    const echoed: Echoed = {
      to: name.slice(1),
      isSignIn,
      path: line.split(' ')[1] ?? '',
      user: given.join('\n'),
    };
    return [
      `HTTP/1.1 ${isSignIn && !isSignedIn ? '401 Unauthorized' : '200 OK'}`,
      ...(isSignIn && isSignedIn ? identity.map((one) => `${one}: ${SOMEBODY}`) : []),
      `${header}: ${encodeURIComponent(JSON.stringify(echoed))}`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  }

  // Caddy alone asks it, without a body. A server of HTTP would resolve the dots of a path, or take eight times as long.
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('data', (bytes) => {
      const heads = `${text}${bytes.toString('latin1')}`.split(END);
      text = heads.pop() ?? '';
      if (text.length > MOST_CHARACTERS) socket.destroy();
      else socket.write(heads.map(answerTo).join(''));
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    signIn(value) {
      isSignedIn = value;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
