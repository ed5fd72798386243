/** Upstreams that want to harm whoever looks at them, and count what they get. */
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../../../harness/certificate.ts';
import { flood } from '../../../harness/raw-server.ts';
import { portOf, rawPort, type Stops } from './listening.ts';

export type Counted = {
  port: number;
  /** How many connections there were, and how many are open. */
  connections: () => number;
  open: () => number;
  /** The first line of everything that was sent, and all `User-Agent`s. */
  lines: readonly string[];
  agents: readonly string[];
  /** How much it could send, in bytes. */
  sent: () => number;
};

/** @param treat answers a connection; `said` gets what has arrived so far */
export async function startCounting(
  stops: Stops,
  treat: (socket: Socket, heard: (said: (text: string) => void) => void) => void,
): Promise<Counted> {
  const lines: string[] = [];
  const agents: string[] = [];
  const all: Socket[] = [];
  const port = await rawPort(stops, (socket) => {
    all.push(socket);
    let text = '';
    const hearers: ((text: string) => void)[] = [];
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (const hear of hearers) hear(text);
    });
    socket.on('close', () => {
      // A TLS hello, or nothing, has no line.
      const [line = ''] = text.split('\r\n');
      if (/^[ -~]+$/.test(line)) lines.push(line);
      agents.push(...[...text.matchAll(/^user-agent: (.*)\r$/gim)].map(([, name = '']) => name));
    });
    treat(socket, (said) => hearers.push(said));
  });
  return {
    port,
    connections: () => all.length,
    open: () => all.filter(({ destroyed }) => !destroyed).length,
    lines,
    agents,
    sent: () => all.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
  };
}

/** Answers each request with this text, and keeps the connection open. */
export const answering = (text: string) => (socket: Socket, heard: Heard) => {
  let answered = 0;
  heard((said) => {
    const asked = said.split('\r\n\r\n').length - 1;
    for (; answered < asked; answered++) socket.write(text);
  });
};
type Heard = (said: (text: string) => void) => void;

/** Answers the first byte with a beginning, and then with as much as is taken. */
export const flooding = (beginning: string, piece?: string) => (socket: Socket, heard: Heard) => {
  let begun = false;
  heard(() => {
    if (begun) return;
    begun = true;
    flood(socket, beginning, piece);
  });
};

/** Sends its answer a byte a second. */
export const dripping = (text: string) => (socket: Socket, heard: Heard) => {
  let sent = 0;
  heard(() => {
    if (sent > 0) return;
    const timer = setInterval(() => socket.write(text[sent++ % text.length] ?? ''), 1_000);
    socket.write(text[sent++] ?? '');
    socket.on('close', () => clearInterval(timer));
  });
};

/** Speaks TLS with a chain of certificates of a megabyte. @returns the port */
export async function startHugeCertificate(stops: Stops): Promise<number> {
  const { certificate, key } = await selfSigned(['huge']);
  const cert = `${certificate.trim()}\n`.repeat(Math.ceil(2 ** 20 / (certificate.length * 0.74)));
  const server = createTlsServer({ cert, key }, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  return portOf(server, stops);
}
