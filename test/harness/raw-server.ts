/** Stands in for servers that behave as no real one can be made to. */
import { createServer, type Socket } from 'node:net';

export type RawServer = {
  readonly port: number;
  /** How many connections have ended. */
  closed(): number;
  stop(): void;
};

/** @param treat gets each connection to `127.0.0.1`; what arrives is dropped, unless it reads that */
export async function startRaw(treat: (socket: Socket) => void): Promise<RawServer> {
  let closed = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      closed++;
      sockets.delete(socket);
    });
    socket.resume();
    treat(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    closed: () => closed,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Sends `piece` again and again, as fast as it is taken. */
export function flood(socket: Socket, beginning: string, piece = 'x'): void {
  const megabyte = Buffer.alloc(2 ** 20, piece);
  socket.write(beginning);
  const write = () => {
    while (!socket.destroyed && socket.write(megabyte));
    socket.once('drain', write);
  };
  write();
}

/** Sends `piece` every few milliseconds. */
export function trickle(socket: Socket, beginning: string, piece: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write(piece), 5);
  socket.on('close', () => clearInterval(timer));
}
