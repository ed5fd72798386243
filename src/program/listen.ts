/** Puts the apps on their ports and sockets; nothing else in the program listens. */
import { rmSync } from 'node:fs';
import type { AnyElysia } from 'elysia';
import { messageOf } from '../shared/async.ts';
import type { AgentSettings } from './agent-settings.ts';

/** Ends a service, and resolves once everything is done. @param keepsProxy whether an agent leaves its Caddy to the next one */
export type Stop = (keepsProxy?: () => boolean) => Promise<void>;

/** A service that runs, and its address. */
export type Running = { url: string; stop: Stop };

/** @param stuck how many of the open requests may never end */
type Listening = { url: string; stop: (stuck?: number) => Promise<void> };

/** Long enough for a publish to complete; a request that takes longer is cut off. */
const STOP_TIMEOUT_MS = 40_000;
/** Long enough for most publishes, and for a stuck reader that was only slow to catch up. */
const STUCK_TIMEOUT_MS = 2_000;
/** For connections that have not sent a request. */
const IDLE_SECONDS = 30;

/** Where an app listens, and whose settings say so: HUB_HOST and HUB_PORT, or AGENT_… */
type Address = { of: 'HUB' | 'AGENT'; host: string; port: number };

/**
 * Ports are taken exclusively: by default, Elysia silently lets two servers share one.
 * @throws Error naming the setting if it cannot listen there
 */
export function listen(
  app: AnyElysia,
  address: Address,
  tls: AgentSettings['tls'] = null,
): Listening {
  const { host: hostname, port } = address;
  try {
    app.listen({
      hostname,
      port,
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      // Bodies are limited where they are read, after authentication; Bun's own answer is not JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (cause) {
    throw new Error(whyNot(address, cause), { cause });
  }
  const { server } = app;
  if (!server) throw new Error(`cannot listen on ${hostname}, port ${port}`);
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host}:${server.port}`,
    async stop(stuck = 0) {
      const cut = setTimeout(() => void server.stop(true), STOP_TIMEOUT_MS);
      // Once only stuck requests are left, there is nothing to wait for.
      const check = setInterval(() => {
        if (stuck > 0 && server.pendingRequests <= stuck) void server.stop(true);
      }, STUCK_TIMEOUT_MS);
      await server.stop();
      clearInterval(check);
      clearTimeout(cut);
    },
  };
}

function whyNot({ of, host, port }: Address, cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${of}_PORT: port ${port} on ${host} is taken by another program`;
    case 'EACCES':
      return `${of}_PORT: ${forbidden(port)}`;
    // All but the first: a name that does not resolve, or an address without its interface (fe80::1).
    case 'EADDRNOTAVAIL':
    case 'EAGAIN':
    case 'ENOTFOUND':
    case 'EINVAL':
    case 'ENOENT':
      return `${of}_HOST: ${host} is not an address of this machine`;
    default:
      return `cannot listen on ${host}, port ${port}: ${messageOf(cause)}`;
  }
}

const forbidden = (port: number): string =>
  `port ${port} is forbidden: ports below 1024 are for root`;

/**
 * Bun cuts off what has no answer after ten seconds, and a publish or an order may take longer. Its types
 * have no such option for a unix socket.
 */
const UNHURRIED: object = { idleTimeout: 0 };

/** A unix socket on which requests are answered. */
type LocalListening = { stop: () => Promise<void> };

/** Listens on `path`, which only its owner can open. @throws Error if it cannot listen there */
export function listenLocally(
  fetch: (request: Request) => Response | Promise<Response>,
  path: string,
): LocalListening {
  // A socket found here was left by a hub that was killed: this one holds the folder's lock.
  rmSync(path, { force: true });
  const umask = process.umask(0o177);
  try {
    const server = Bun.serve({ unix: path, fetch, development: false, ...UNHURRIED });
    return {
      async stop() {
        await server.stop();
        try {
          rmSync(path, { force: true });
        } catch {
          // The disk is read-only by now. The next start removes it, and nothing answers there.
        }
      },
    };
  } finally {
    process.umask(umask);
  }
}

/** Answers HTTPS requests of this machine on a free port, until `stop`. */
export function listenBriefly(
  fetch: (request: Request) => Response,
  tls: { cert: string; key: string },
) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch, tls, development: false });
  return { url: `https://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** Why a port cannot be opened on all addresses at this moment; null if it can be. */
export function whyClosed(port: number): string | null {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, exclusive: true, socket: { data() {} } }).stop(true);
    return null;
  } catch (cause) {
    const isForbidden = (cause as NodeJS.ErrnoException).code === 'EACCES';
    return isForbidden ? forbidden(port) : `port ${port} is taken by another program`;
  }
}
