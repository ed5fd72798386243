/** Stands in for the network between two programs: a TCP relay on loopback whose link can be cut. */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './stack.ts';

/** How a link is cut: nobody listens, nothing arrives, or every connection is reset. */
export const CUTS = ['refuses', 'hangs', 'resets'] as const;
export type Cut = (typeof CUTS)[number];

export type Relay = {
  /** Where it listens, in place of the port that it leads to. */
  readonly port: number;
  cut(how: Cut): Promise<void>;
  /** What was held back arrives, as after a network has come back. */
  join(): Promise<void>;
  stop(): Promise<void>;
};

/** @param to the port of the program */
export async function startRelay(to: number): Promise<Relay> {
  const port = freePort();
  const pairs = new Set<readonly [Socket, Socket]>();
  let now: Cut | 'joined' = 'joined';

  const server = createServer((near) => {
    if (now === 'resets') return void near.resetAndDestroy();
    const far = connect(to, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('data', (data) => void other.write(data));
      one.on('error', () => {});
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (now === 'hangs') one.pause();
    }
  });
  const open = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', () => done()));
  const close = () => new Promise<void>((done) => server.close(() => done()));
  await open();

  return {
    port,
    async cut(how) {
      now = how;
      for (const [near, far] of pairs) {
        if (how === 'hangs') [near, far].map((socket) => socket.pause());
        else near.resetAndDestroy();
      }
      if (how === 'refuses') await close();
    },
    async join() {
      const before = now;
      now = 'joined';
      if (before === 'refuses') await open();
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    async stop() {
      for (const [near] of pairs) near.destroy();
      if (now !== 'refuses') await close();
    },
  };
}
