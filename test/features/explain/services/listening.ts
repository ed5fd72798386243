/** Servers on loopback for the services of a house, each on a port that the system chooses. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** Collects what ends the services, in the order in which they began. */
export type Stops = { add(stop: () => unknown): void };

export function createStops(): Stops & { stop(): Promise<void> } {
  const stops: (() => unknown)[] = [];
  return {
    add: (stop) => stops.push(stop),
    async stop() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
    },
  };
}

/** Waits until a server listens on loopback. @param port 0: any @returns its port */
export async function portOf(server: Server, stops: Stops, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  stops.add(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** @param treat gets each connection; what it sends is dropped, unless `treat` reads it @returns the port */
export async function rawPort(
  stops: Stops,
  treat: (socket: Socket) => void,
  port = 0,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
    treat(socket);
  });
  stops.add(() => {
    for (const socket of sockets) socket.destroy();
  });
  return portOf(server, stops, port);
}

/** An HTTP service of the test's own. @returns its port */
export function httpPort(
  stops: Stops,
  answer: (request: Request, url: URL) => Response | Promise<Response>,
): number {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => answer(request, new URL(request.url)),
  });
  stops.add(() => server.stop(true));
  return server.port ?? 0;
}
