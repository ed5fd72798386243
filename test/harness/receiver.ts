/**
 * Receives messages on loopback: a webhook that checks signatures at `/hook`, and what stands in for a
 * Gotify server at `/message`. It can also do to a sender what a broken receiver does.
 */
import { createHmac } from 'node:crypto';
import { until } from './stack.ts';

/**
 * `fails`: 500. `redirects`: to `/elsewhere`, here. `hangs`: no answer. `trickles`: an answer without
 * an end, in single bytes. `floods`: 200, with a gigabyte.
 */
export const BEHAVIOURS = ['accepts', 'fails', 'redirects', 'hangs', 'trickles', 'floods'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

export type Received = {
  method: string;
  path: string;
  headers: Headers;
  body: string;
  /** When it was there, in milliseconds since 1970. */
  at: number;
  /** Whether it has the signature, or Gotify's key, that it has to have. */
  genuine: boolean;
  /** How it was treated. */
  behaviour: Behaviour;
};

export type Receiver = {
  /** Without a slash at the end. */
  readonly url: string;
  /** All requests, in the order of their arrival. */
  readonly received: readonly Received[];
  /** Bytes of the answers that flood, until the senders hung up. */
  readonly flooded: number;
  /** What each request from now on meets; those that hang go on to. */
  behave(how: Behaviour): void;
  /** Waits for the first request that fits. */
  awaited(fits: (one: Received) => boolean, what: string, timeout?: number): Promise<Received>;
  stop(): Promise<void>;
};

const GIGABYTE = 2 ** 30;
const PIECE = 65_536;
const TRICKLE_MS = 50;

/** @param secret of the webhook's signatures, and Gotify's application token */
export function startReceiver(secret: string): Receiver {
  const received: Received[] = [];
  let behaviour: Behaviour = 'accepts';
  let flooded = 0;

  const isGenuine = (path: string, headers: Headers, body: string): boolean => {
    if (path === '/message') return headers.get('X-Gotify-Key') === secret;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return headers.get('X-Signalbox-Signature') === `sha256=${signature}`;
  };

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A request that hangs is given up by its sender, never here.
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const at = Date.now();
      const { method, headers } = request;
      const path = new URL(request.url).pathname;
      const body = await request.text();
      const genuine = isGenuine(path, headers, body);
      received.push({ method, path, headers, body, at, genuine, behaviour });
      switch (behaviour) {
        case 'fails':
          return new Response('This receiver is broken.', { status: 500 });
        case 'redirects':
          return new Response(null, { status: 307, headers: { Location: '/elsewhere' } });
        case 'hangs':
          return new Promise(() => {});
        case 'trickles':
          return new Response(pieces(1, () => Bun.sleep(TRICKLE_MS)));
        case 'floods':
          return new Response(
            pieces(PIECE, () => {
              flooded += PIECE;
              return flooded < GIGABYTE;
            }),
          );
        case 'accepts':
          if (genuine) return Response.json({ id: received.length });
          return Response.json({ error: 'Unauthorized' }, { status: 401 });
      }
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    get flooded() {
      return flooded;
    },
    behave(how) {
      behaviour = how;
    },
    awaited: (fits, what, timeout) => until(() => received.find(fits), what, timeout),
    stop: () => server.stop(true),
  };
}

/** A body in pieces of `size` bytes, each of which waits for `next`, until that is false. */
function pieces(size: number, next: () => unknown): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(size).fill(0x2e);
  return new ReadableStream({
    async pull(controller) {
      const isLast = (await next()) === false;
      controller.enqueue(piece);
      if (isLast) controller.close();
    },
  });
}
