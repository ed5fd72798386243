/** A client of Caddy's admin API. No call beside a load: Caddy restarts that listener then. */
import { createGate } from '../../src/shared/async.ts';
import { Failure } from '../../src/shared/failure.ts';
import { field, type Json, list } from '../../src/shared/json.ts';
import { lacksDescriptors } from '../../src/shared/system/files.ts';
import {
  createIdentities,
  type Identity,
  type IdentityDeps,
  socketOf,
  withoutSecrets,
} from './identity.ts';

/** The logger for all requests; its `@id` identifies the live Caddyfile. */
export const ACCESS_LOGGER = 'signalbox_access';

/** The logger whose entries say why a site has no certificate or no upstream. */
export const ERROR_LOGGER = 'signalbox_errors';

/** The admin endpoint did not answer. */
export class AdminUnreachable extends Error {}

/** What the admin endpoint answered; `error` is Caddy's own sentence, or null on success. */
export type AdminAnswer = { status: number; text: string; error: string | null };

export type Admin = {
  /** As in a Caddyfile's `admin` option. */
  readonly address: string;
  /** The only secret name that a configuration should let in from now on. */
  readonly secret: string;
  /** Adapts a Caddyfile to JSON in the proxy's own environment. @throws AdminUnreachable */
  adapt(caddyfile: string): Promise<AdminAnswer>;
  /**
   * Loads JSON.
   * @param force loads it even if it equals the live configuration
   * @throws AdminUnreachable
   */
  load(json: string, force?: boolean): Promise<AdminAnswer>;
  /** The live configuration as JSON text, `null\n` if there is none. @throws AdminUnreachable */
  config(): Promise<string>;
  /** The id stamped on the live configuration, see `stampId`, or null. @throws AdminUnreachable */
  liveId(): Promise<string | null>;
  /** Caddy's metrics, the only request that it does not log. @throws AdminUnreachable */
  metrics(): Promise<string>;
  /** Each upstream's address, open requests and failures, as JSON text. @throws AdminUnreachable */
  upstreams(): Promise<string>;
  /** The certificates of Caddy's own authority as JSON text; makes that authority if there is none. @throws AdminUnreachable */
  authority(): Promise<string>;
  /** The origins that the live configuration lets in besides the agent's. @throws AdminUnreachable */
  otherOrigins(): Promise<string[]>;
  /** Makes every call wait until `run` is over: another process takes the endpoint over. @throws what `run` throws */
  hold<T>(run: () => Promise<T>): Promise<T>;
  /** Asks at once for what Caddy does not log, and waits only for a load. @throws AdminUnreachable */
  knock(): Promise<void>;
  /** Whether the endpoint answers within a second. @throws AdminUnreachable if it cannot be asked */
  answers(): Promise<boolean>;
};

/** Loading 10,000 sites takes about 2 s on two cores. */
const LOAD_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 5_000;
const PING_TIMEOUT_MS = 1_000;
/** The answer to a Host or an Origin that the endpoint does not know. */
const FORBIDDEN = 403;

export function createAdmin(deps: IdentityDeps): Admin {
  const { address, secret } = deps;
  const socket = socketOf(address);
  const { shared, alone } = createGate();
  let loading: Promise<unknown> = Promise.resolve();

  /** What makes Caddy restart the endpoint, or another process take it over. */
  const load = <T>(run: () => Promise<T>): Promise<T> =>
    alone(() => {
      const done = run();
      loading = done.catch(() => undefined);
      return done;
    });

  const identities = createIdentities(deps);

  async function sendAs(
    { host, origin }: Identity,
    path: string,
    init: RequestInit,
    timeout: number,
  ): Promise<AdminAnswer> {
    const url = socket === null ? `http://${address}${path}` : `http://caddy.internal${path}`;
    const headers = { ...(init.headers as Record<string, string> | undefined), Host: host };
    try {
      const response = await fetch(url, {
        ...init,
        headers: origin === null ? headers : { ...headers, Origin: origin },
        keepalive: false,
        signal: AbortSignal.timeout(timeout),
        ...(socket === null ? {} : { unix: socket }),
      });
      const text = await response.text();
      return { status: response.status, text, error: errorOf(response.status, text) };
    } catch (cause) {
      throw new AdminUnreachable('the admin endpoint does not answer', { cause });
    }
  }

  /** Asks for the metrics, because Caddy does not log that. @throws AdminUnreachable */
  async function identify(timeout: number): Promise<Identity> {
    for (const identity of await identities.candidates()) {
      const { status } = await sendAs(identity, '/metrics', {}, timeout);
      if (status === FORBIDDEN) continue;
      identities.remember(identity);
      return identity;
    }
    throw new AdminUnreachable('the admin endpoint does not let this agent in');
  }

  async function send(path: string, init: RequestInit, timeout: number): Promise<AdminAnswer> {
    const known = identities.known() ?? (await identify(timeout));
    const answer = await sendAs(known, path, init, timeout);
    if (answer.status !== FORBIDDEN) return answer;
    identities.remember(null);
    return sendAs(await identify(timeout), path, init, timeout);
  }

  /** After a load, a connection may still reach the previous listener, which Caddy is closing. */
  const sendGet = (path: string, timeout: number) =>
    send(path, {}, timeout).catch((error: Error) => {
      if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNRESET') throw error;
      return send(path, {}, timeout);
    });

  const get = (path: string, timeout: number) => shared(() => sendGet(path, timeout));
  /** What it answers, unless that is an error. */
  async function read(path: string, timeout: number): Promise<string> {
    const { text, error } = await get(path, timeout);
    if (error !== null) throw new AdminUnreachable(error);
    return text;
  }

  const post = (path: string, type: string, body: string, headers: Record<string, string> = {}) =>
    send(
      path,
      { method: 'POST', headers: { 'Content-Type': type, ...headers }, body },
      LOAD_TIMEOUT_MS,
    );

  return {
    address,
    secret,
    adapt: (caddyfile) => shared(() => post('/adapt', 'text/caddyfile', caddyfile)),
    load: (json, force = false) =>
      load(() => {
        const headers = force ? { 'Cache-Control': 'must-revalidate' } : {};
        return post('/load', 'application/json', json, headers);
      }),

    hold: load,

    async knock() {
      await loading;
      await sendGet('/metrics', READ_TIMEOUT_MS);
    },

    config: () => read('/config/', LOAD_TIMEOUT_MS),

    async liveId() {
      const { text } = await get(`/config/logging/logs/${ACCESS_LOGGER}/@id`, READ_TIMEOUT_MS);
      return /^"(rev-[^"\\]*)"\s*$/.exec(text)?.[1] ?? null;
    },

    metrics: async () => (await get('/metrics', READ_TIMEOUT_MS)).text,

    async upstreams() {
      const answer = await get('/reverse_proxy/upstreams', READ_TIMEOUT_MS);
      return answer.error === null ? answer.text : '[]';
    },

    authority: () => read('/pki/ca/local', READ_TIMEOUT_MS),

    async otherOrigins() {
      const text = await read('/config/admin', READ_TIMEOUT_MS);
      return withoutSecrets(list(field(JSON.parse(text) as Json, 'origins')).map(String));
    },

    answers: () =>
      get('/config/admin', PING_TIMEOUT_MS).then(
        ({ status }) => status === 200,
        (error: Error) => {
          if (lacksDescriptors(error.cause)) throw error;
          return false;
        },
      ),
  };
}

/**
 * Caddy may answer 200 with warnings followed by an error, `[…]{"error":"…"}`, or since 2.11.6 with one
 * object that has both.
 */
function errorOf(status: number, text: string): string | null {
  if (status >= 400) {
    try {
      const { error } = JSON.parse(text) as { error?: unknown };
      if (typeof error === 'string') return error;
    } catch {
      // Another shape.
    }
  }
  const at = text.lastIndexOf('{"error":');
  if (at === -1) return status < 400 ? null : `HTTP ${status}`;
  if (status < 400 && at !== 0 && text[at - 1] !== ']') return null;
  try {
    return String((JSON.parse(text.slice(at)) as { error: unknown }).error);
  } catch {
    return status < 400 ? null : `HTTP ${status}`;
  }
}

/** The failure of a proxy that does not answer a question; any other error as it is. */
export const reachable = (error: unknown) =>
  error instanceof AdminUnreachable
    ? new Failure('PROXY_UNREACHABLE', 'The proxy does not answer.', { cause: error })
    : error;

/** The answer to a caller whose change did not reach the proxy, or has been undone. */
export const proxyUnreachable = (cause?: unknown): Failure =>
  new Failure('PROXY_UNREACHABLE', 'The proxy does not answer; nothing was changed.', { cause });
