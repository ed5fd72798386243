/** A client of Caddy's admin API. One call at a time: Caddy restarts that listener at each load. */
import { Failure } from '../../src/shared/failure.ts';

/** The logger of all requests; its `@id` tells which proxyfile is live. */
export const ACCESS_LOGGER = 'signalbox_access';

/** The logger whose entries tell why a site has no certificate or no upstream. */
export const ERROR_LOGGER = 'signalbox_errors';

/** A call to the admin endpoint that brought no answer. */
export class AdminUnreachable extends Error {}

/** What the admin endpoint answered: `error` is Caddy's own sentence where it refused. */
export type AdminAnswer = { status: number; text: string; error: string | null };

export type Admin = ReturnType<typeof createAdmin>;

/** Loading 10,000 sites takes about 2 s on two cores; 30 s is the agent's deadline towards Caddy. */
const DEADLINE_MS = 30_000;

/**
 * @param address as in a Caddyfile's `admin` option: `localhost:2019` or `unix//run/caddy.sock`
 */
export function createAdmin(address: string) {
  const socket = address.startsWith('unix/') ? address.slice('unix/'.length) : undefined;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = last.then(call, call);
    last = result.catch(() => undefined);
    return result;
  }

  async function send(path: string, init: RequestInit, deadline: number): Promise<AdminAnswer> {
    // Caddy before 2.10 wants an empty Host on a unix socket and answers 403 to any other.
    const target = socket
      ? { url: `http://caddy.internal${path}`, unix: socket, host: { Host: '' } }
      : { url: `http://${address}${path}`, unix: undefined, host: {} };
    try {
      const response = await fetch(target.url, {
        ...init,
        headers: { ...target.host, ...(init.headers as Record<string, string> | undefined) },
        keepalive: false,
        signal: AbortSignal.timeout(deadline),
        ...(target.unix === undefined ? {} : { unix: target.unix }),
      });
      const text = await response.text();
      return { status: response.status, text, error: errorOf(response.status, text) };
    } catch (cause) {
      throw new AdminUnreachable('the admin endpoint does not answer', { cause });
    }
  }

  const call = (path: string, init: RequestInit = {}, deadline = DEADLINE_MS) =>
    inTurn(() => send(path, init, deadline));

  return {
    address,

    /** The Caddyfile as JSON, judged with the proxy's own environment. @throws AdminUnreachable */
    adapt: (caddyfile: string) =>
      call('/adapt', {
        method: 'POST',
        headers: { 'Content-Type': 'text/caddyfile' },
        body: caddyfile,
      }),

    /** Loads JSON; `force` also where Caddy thinks nothing changed. @throws AdminUnreachable */
    load: (json: string, force = false) =>
      call('/load', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(force ? { 'Cache-Control': 'must-revalidate' } : {}),
        },
        body: json,
      }),

    /** The live configuration as JSON text, `null\n` where there is none. @throws AdminUnreachable */
    async config(): Promise<string> {
      const answer = await call('/config/');
      if (answer.error !== null) throw new AdminUnreachable(answer.error);
      return answer.text;
    },

    /** The digest stamped on the live configuration, null where it has none. @throws AdminUnreachable */
    async liveDigest(deadline = 5_000): Promise<string | null> {
      const answer = await call(`/config/logging/logs/${ACCESS_LOGGER}/@id`, {}, deadline);
      return /^"rev-([0-9a-f]{64})"\s*$/.exec(answer.text)?.[1] ?? null;
    },

    /** Caddy's own figures, the one thing it does not log being asked for. @throws AdminUnreachable */
    metrics: async (deadline = 5_000): Promise<string> =>
      (await call('/metrics', {}, deadline)).text,

    /** JSON text: each upstream's address, requests under way and failures. @throws AdminUnreachable */
    async upstreams(deadline = 5_000): Promise<string> {
      const answer = await call('/reverse_proxy/upstreams', {}, deadline);
      return answer.error === null ? answer.text : '[]';
    },

    /** Whether anything answers; never throws. */
    answers: (deadline = 1_000): Promise<boolean> =>
      call('/config/admin', {}, deadline).then(
        (answer) => answer.status === 200,
        () => false,
      ),
  };
}

/** Caddy may answer 200 with warnings and an error behind them: `[…]{"error":"…"}`. */
function errorOf(status: number, text: string): string | null {
  const at = text.lastIndexOf('{"error":');
  if (at === -1) return status < 400 ? null : `HTTP ${status}`;
  if (status < 400 && at !== 0 && text[at - 1] !== ']') return null;
  try {
    return String((JSON.parse(text.slice(at)) as { error: unknown }).error);
  } catch {
    return status < 400 ? null : `HTTP ${status}`;
  }
}

/** What a caller hears when the proxy cannot be reached. */
export const proxyUnreachable = (cause?: unknown) =>
  new Failure('PROXY_UNREACHABLE', 'The proxy does not answer; nothing was changed.', { cause });
