/** Dials an upstream as Caddy would, without a request: connects, and over TLS shakes hands. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { within } from '../../../src/shared/async.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import type { Dial } from '../live-upstreams.ts';
import type { Resolver } from './resolver.ts';

/** `reason` says, in half a sentence, why it is down or why that is not known. */
export type DialResult =
  | { up: true; latencyMs: number }
  | { up: false; reason: string }
  | { up: null; reason: string };

/** @param timeout milliseconds; never rejects */
export type DialUpstream = (dial: Dial, timeout: number) => Promise<DialResult>;

/** Further addresses of a name are not tried. */
const MOST_ADDRESSES = 4;

/** @param apart whether Caddy may use another user's sockets than the agent */
export function createDialUpstream({ resolve }: Resolver, apart: boolean): DialUpstream {
  async function dialHost(host: string, port: number, tls: Dial['tls'], timeout: number) {
    const all = isIP(host) === 0 ? await resolve(host) : [host];
    let last: DialResult = { up: false, reason: 'no address found for this name' };
    const addresses = all.slice(0, MOST_ADDRESSES);
    for (const address of addresses) {
      last = await attempt({ host: address, port }, tls, timeout / addresses.length);
      if (last.up) return last;
    }
    return last;
  }

  return ({ place, tls }, timeout) => {
    if ('path' in place && apart) {
      return Promise.resolve({ up: null, reason: 'Only Caddy’s user can tell.' });
    }
    const dialled =
      'path' in place
        ? attempt({ path: socketPath(place.path) }, null, timeout)
        : dialHost(place.host, place.port, tls, timeout);
    return within(dialled, timeout, () => noAnswer(timeout));
  };
}

/** For the system: an abstract socket begins with a zero byte, which Caddy writes as `@`. */
export const socketPath = (path: string): string => path.replace(/^@/, '\0');

const noAnswer = (timeout: number): DialResult => ({
  up: false,
  reason: `no answer within ${timeout / 1000} s`,
});

type Place = { host: string; port: number } | { path: string };

async function attempt(place: Place, tls: Dial['tls'], timeout: number): Promise<DialResult> {
  const { promise, resolve } = Promise.withResolvers<DialResult>();
  const from = performance.now();
  const socket = open(place, tls);
  socket.once(tls === null ? 'connect' : 'secureConnect', () =>
    resolve({ up: true, latencyMs: Math.round((performance.now() - from) * 10) / 10 }),
  );
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(failureOf(error, place)));
  socket.once('close', () => resolve({ up: false, reason: 'the connection was closed' }));
  return within(promise, timeout, () => noAnswer(timeout)).finally(() => socket.destroy());
}

function open(place: Place, tls: Dial['tls']): Socket {
  if (tls === null) return connect(place);
  // Whether the certificate is trusted is for Caddy to say: its requests fail if it is not.
  return connectTls({
    ...place,
    rejectUnauthorized: false,
    ...(tls === '' || isIP(tls) !== 0 ? {} : { servername: tls }),
  });
}

function failureOf({ code = '' }: NodeJS.ErrnoException, place: Place): DialResult {
  if (code === 'EACCES' || code === 'EPERM') {
    return { up: null, reason: 'The agent may not open this connection.' };
  }
  if (code === 'ENOENT') return { up: false, reason: 'there is no such socket' };
  if (code === 'ECONNREFUSED') {
    // Bun gives this code to every connection that could not be made.
    const local = 'path' in place || isLoopback(place.host);
    return { up: false, reason: local ? 'connection refused' : 'connection refused, or no route' };
  }
  return {
    up: false,
    reason: code.startsWith('ERR_SSL') ? 'it does not speak TLS' : 'the connection failed',
  };
}
