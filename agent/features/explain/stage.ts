/** A Caddy of its own that serves one site, and says who answered. */
import {
  field,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  parseJson,
} from '../../../src/shared/json.ts';
import type { CheckTarget } from '../../../src/shared/wire/checks.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import { freePorts } from '../../caddy/ports/ports.ts';
import type { StartTrial } from '../../caddy/process/trial-caddy.ts';
import { hostOf, type Place, sentName } from '../../sites/checks/ask.ts';
import { trialConfig } from '../../sites/checks/trial-config.ts';
import { ADDRESS_MATCHERS } from '../../sites/networks.ts';
import { exchange, type Reply, requestFor } from './exchange.ts';
import { asksWho } from './site.ts';
import { rangesInTrial, type Visitor } from './visitors.ts';

/** Who answered, and what it was asked for; null: Caddy itself. */
export type Answerer = { address: string; uri: string; signIn: boolean } | null;

export type Stage = {
  place: Place;
  /** The site's address, as visitors have it: `https://app.example.org`. */
  origin: string;
  /** Never rejects. @param headers further lines of the request @param from the address of a visitor of the scene */
  ask(
    path: string,
    headers?: readonly string[],
    from?: string,
  ): Promise<{ reply: Reply; by: Answerer }>;
  /**
   * @param mayLog whether Caddy answered with an error of its own
   * @returns why it could not answer, in its own words; null if it says nothing
   */
  end(mayLog?: boolean): Promise<string | null>;
};

export type Scene = {
  /** The configuration with the site. */
  adapted: JsonObject;
  /** The proxyfile that it was made of, whose size says how much memory it takes. */
  text: string;
  /** Other sites of this Caddy that are upstreams, by their addresses: they are part of the trial. */
  inner: ReadonlyMap<string, Pick<CheckTarget, 'name' | 'port'>>;
  /** Those who may ask it, besides this machine. */
  visitors: readonly Visitor[];
  userAgent: string;
};

/** How long it may take until the trial has made its certificate, in milliseconds. */
const CERTIFICATE_MS = 3_000;
const POLL_MS = 50;
/** How long its log may take, in milliseconds. */
const LOG_MS = 100;
/** Retries of one request, if the config wants any. */
const MOST_RETRIES = 2;

/**
 * @returns null if Caddy has no such site
 * @param signal after which the certificate is not waited for
 * @throws as `start`
 */
export async function startStage(
  start: StartTrial,
  { adapted, text, inner, visitors, userAgent }: Scene,
  target: Pick<CheckTarget, 'name' | 'port'>,
  signal: AbortSignal,
): Promise<Stage | null> {
  const servers = Object.keys(object(field(adapted, 'apps', 'http', 'servers'))).length;
  const targets = [target, ...inner.values()].map(({ name, port }) => ({
    name,
    port,
    check: null,
  }));
  const { apps, names, places } = trialConfig(adapted, targets, freePorts(servers));
  const [place, ...others] = places;
  if (typeof place !== 'object' || place.dial === undefined) return null;
  const { dial } = place;
  const header = `Signalbox-${crypto.randomUUID().slice(0, 8)}`;
  const moved = new Map(
    [...inner.keys()].flatMap((address, at) => {
      const other = others[at];
      const isPlain = typeof other === 'object' && !other.tls && other.dial !== undefined;
      return isPlain ? [[address, `127.0.0.1:${other.dial}`] as const] : [];
    }),
  );
  const scene = { apps: marked(apps, { header, moved, visitors }) as JsonObject, names };
  const trial = await start({ ...scene, memory: memoryLimit(text) });
  const peer = {
    place: { host: '127.0.0.1', port: dial },
    tls: place.tls ? (sentName(place) ?? '') : null,
  };
  const host = hostOf(place);

  async function send(bytes: Buffer, from = '127.0.0.1'): Promise<Reply> {
    const until = performance.now() + CERTIFICATE_MS;
    for (;;) {
      const reply = await exchange({ ...peer, from }, bytes);
      if (reply.kind !== 'handshake' || performance.now() > until || signal.aborted) return reply;
      await Bun.sleep(POLL_MS);
    }
  }

  return {
    place,
    origin: `${place.tls ? 'https' : 'http'}://${host}`,
    async ask(path, headers = [], from) {
      const reply = await send(requestFor(path, host, userAgent, headers), from);
      const mark = reply.kind === 'http' ? reply.headers.get(header.toLowerCase()) : undefined;
      return { reply, by: mark === undefined ? null : answererIn(mark, moved) };
    },
    async end(mayLog = false) {
      // Caddy answers before it writes why.
      if (mayLog) await Bun.sleep(LOG_MS);
      return errorIn(await trial.end());
    },
  };
}

/** The header that names who answered; where upstreams are in the trial, by their addresses; and who asks. */
type Marking = { header: string; moved: ReadonlyMap<string, string> } & Pick<Scene, 'visitors'>;

/**
 * The same configuration, whose upstreams' answers say by a header where they come from. No health check asks them
 * besides, no retry goes on for long, and visitors need no certificate of their own and have addresses of loopback.
 */
function marked(value: Json, how: Marking): Json {
  if (Array.isArray(value)) return value.map((one) => marked(one, how));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, one] of Object.entries(value)) {
    if (ADDRESS_MATCHERS.includes(key) && isObject(one)) {
      const ranges = rangesInTrial(list(one.ranges).map(String), how.visitors);
      copy[key] = { ...one, ranges };
    } else if (key !== 'client_authentication') copy[key] = marked(one, how);
  }
  return copy.handler === 'reverse_proxy' ? markedProxy(copy, how) : copy;
}

function markedProxy(
  { health_checks: _, ...handler }: JsonObject,
  { header, moved }: Marking,
): JsonObject {
  const { headers, load_balancing: balancing, upstreams, ...rest } = handler;
  const response = object(field(headers, 'response'));
  const kind = asksWho(handler) ? 'sign-in' : 'site';
  const mark = `${kind} {http.reverse_proxy.upstream.address} {http.request.uri}`;
  const set = { ...object(response.set), [header]: [mark] };
  const retried = field(balancing, 'try_duration') !== undefined;
  return {
    ...rest,
    ...(upstreams !== undefined && {
      upstreams: list(upstreams).map((one) => {
        const to = moved.get(String(field(one, 'dial')));
        return to === undefined ? one : { ...object(one), dial: to };
      }),
    }),
    headers: { ...object(headers), response: { ...response, set } },
    ...(balancing !== undefined && {
      load_balancing: { ...object(balancing), ...(retried && { retries: MOST_RETRIES }) },
    }),
  };
}

function answererIn(mark: string, moved: Marking['moved']): Answerer {
  const [kind, written = '', uri = ''] = mark.split(' ');
  const to = written.replace(/^tcp\//, '');
  const [address = to] = [...moved].find(([, trial]) => trial === to) ?? [];
  return { address, uri, signIn: kind === 'sign-in' };
}

/** The last error that Caddy logged about a request. */
function errorIn(output: string): string | null {
  const lines = output.split('\n').map((line) => object(parseJson(line)));
  const failure = lines.findLast(({ logger }) => String(logger).startsWith('http.log.error'));
  return typeof failure?.msg === 'string' ? failure.msg.slice(0, 300) : null;
}
