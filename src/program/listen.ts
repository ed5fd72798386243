/** Puts the apps on their ports and sockets; nothing else in the program listens. */
import { rmSync } from 'node:fs';
import type { AnyElysia } from 'elysia';
import type { AgentSettings } from './config.ts';

/** A running program; `stop` resolves when all that was under way is done. */
export type Running = { url: string; stop: () => Promise<void> };

/** Long enough for a publish under way; what hangs longer is cut off. */
const STOP_PATIENCE_MS = 40_000;
/** Long enough for almost all publishes: a reader that was only slow may have ended meanwhile. */
const STUCK_PATIENCE_MS = 2_000;

/** `stuck`: so many of the requests under way may never end by themselves. */
export type Listening = { url: string; stop: (stuck?: number) => Promise<void> };

/** For connections that have not said yet what they want. */
const IDLE_SECONDS = 30;

/** Ports are taken exclusively: Elysia's default lets two servers share one without a word. */
export function listen(
  app: AnyElysia,
  hostname: string,
  port: number,
  tls: AgentSettings['tls'] = null,
): Listening {
  try {
    app.listen({
      hostname,
      port,
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      // Bodies are bounded where they are read, after the guards; Bun's own answer is no JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (cause) {
    throw new Error(`cannot listen on ${hostname}, port ${port}: is it taken?`, { cause });
  }
  const { server } = app;
  if (!server) throw new Error(`cannot listen on ${hostname}, port ${port}`);
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host}:${server.port}`,
    async stop(stuck = 0) {
      const cut = setTimeout(() => void server.stop(true), STOP_PATIENCE_MS);
      // When only readers are left that take nothing, there is nothing to wait for.
      const look = setInterval(() => {
        if (stuck > 0 && server.pendingRequests <= stuck) void server.stop(true);
      }, STUCK_PATIENCE_MS);
      await server.stop();
      clearInterval(look);
      clearTimeout(cut);
    },
  };
}

/** Listens on `path`, readable and writable by its owner alone. @throws where that cannot be had */
export function listenLocally(app: AnyElysia, path: string) {
  // One that is left there belongs to a hub that was killed: the folder's lock is ours.
  rmSync(path, { force: true });
  const umask = process.umask(0o177);
  try {
    return stoppable(Bun.serve({ unix: path, fetch: app.handle, development: false }), path);
  } finally {
    process.umask(umask);
  }
}

function stoppable(server: { stop: () => Promise<void> }, path: string) {
  return {
    async stop(): Promise<void> {
      await server.stop();
      rmSync(path, { force: true });
    },
  };
}

/** Whether a port of all addresses can be had at this moment. */
export function canListen(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, exclusive: true, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
