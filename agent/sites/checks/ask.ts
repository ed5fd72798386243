/** Asks a site for one answer through a listener of the proxy, by the site's name. */
import { lookup } from 'node:dns/promises';
import type { ClientRequest } from 'node:http';
import { isIP } from 'node:net';
import { within } from '../../../src/shared/async.ts';
import { ANY_LABEL, isOwnAddress, NO_CERTIFICATE, reachable } from '../handshake.ts';

/** Where the proxy serves a name. */
export type Place = {
  /** The address that the proxy listens on; empty for any. */
  host: string;
  port: number;
  tls: boolean;
  /** As in `SiteState`: empty for any host, maybe with `*` as a label. */
  name: string;
  /** The port to connect to, if the proxy serves it on another one for now. */
  dial?: number;
};

/**
 * Resolves as soon as a connection to this address and port reaches nothing but the live configuration, or
 * once nobody waits for that any more.
 */
export type Settled = (host: string, port: number) => Promise<void>;

type Question = {
  path: string;
  /** What to look for in the body; null: the body is not read. */
  contains: string | null;
  /** Milliseconds. */
  timeout: number;
  /** The `User-Agent`. */
  userAgent: string;
  /** Without it, nothing else can answer. */
  settled?: Settled | undefined;
};

/** `location` is the header. Without an answer: the `timeout` that passed, or the `fault` as a sentence without a full stop. */
export type Outcome =
  | { status: number; found: boolean; location: string | null }
  | { status: null; timeout: number }
  | { status: null; fault: string };

/** The fault while Caddy obtains a certificate. */
export const NO_CERTIFICATE_YET = 'Caddy has no certificate for this name yet';

/** No further is a body read. */
const MOST_BYTES = 64 * 1024;

/**
 * Never rejects. Connects to this machine alone. No redirect is followed, and any certificate is accepted:
 * it is the proxy's, whatever authority signed it.
 */
export function ask(place: Place, question: Question): Promise<Outcome> {
  const ended = new AbortController();
  let late: Outcome = { status: null, timeout: question.timeout };
  const answer = send(place, question, ended.signal, (outcome) => {
    late = outcome;
  }).catch((error): Outcome => ({ status: null, fault: faultOf(error, place) }));
  return within(answer, question.timeout, () => late).finally(() => ended.abort());
}

/** @param heard called with what is the outcome unless more comes @throws of any kind */
async function send(
  place: Place,
  { path, contains, timeout, userAgent, settled }: Question,
  ended: AbortSignal,
  heard: (outcome: Outcome) => void,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const host = await addressOf(place);
  if (host === null) {
    const fault = `Caddy listens on ${place.host}, which is not an address of its machine`;
    return { status: null, fault };
  }
  const port = place.dial ?? place.port;
  if (settled) {
    heard({ status: null, fault: unsettledOn(port) });
    await settled(host, port);
    heard({ status: null, timeout });
  }
  const request = await requestAt(place, host, { path, userAgent });
  if (ended.aborted) request.destroy();
  ended.addEventListener('abort', () => request.destroy());
  request.once('response', (response) => {
    const status = response.statusCode ?? 0;
    const { location = null } = response.headers;
    if (contains === null) return resolve({ status, found: true, location });
    const none = { status, found: false, location };
    heard(none);
    const isFound = createSearch(contains);
    response.on('data', (chunk: Buffer) => {
      const found = isFound(chunk);
      if (found !== null) resolve({ ...none, found });
    });
    response.once('error', () => resolve(none));
    response.once('close', () => resolve(none));
  });
  request.on('error', reject);
  request.end();
  return promise;
}

/** The address to connect to; null: the proxy listens on none of this machine's. */
export function addressOf(place: Place): Promise<string | null> {
  const name = nameFor(place);
  // Without SNI, which an address cannot be, the proxy goes by the address that it is reached at.
  const isByAddress = place.tls && isOwnAddress(name) && isAny(place.host);
  return isByAddress ? Promise.resolve(name) : ownAddress(reachable(place.host));
}

/** A `GET` by the site's name that is not sent yet. @param host the address to connect to */
export async function requestAt(
  place: Place,
  host: string,
  { path, userAgent }: Pick<Question, 'path' | 'userAgent'>,
): Promise<ClientRequest> {
  const http = place.tls ? await import('node:https') : await import('node:http');
  const servername = sentName(place);
  return http.request({
    host,
    port: place.dial ?? place.port,
    path,
    agent: false,
    headers: { Host: hostOf(place), 'User-Agent': userAgent, Accept: '*/*' },
    rejectUnauthorized: false,
    ...(servername === null ? {} : { servername }),
  });
}

const unsettledOn = (port: number): string =>
  `Another listener on port ${port} may answer instead: Caddy has not closed its previous one, or another program shares the port`;

/**
 * The address to connect to for a listener's; null if that is another machine's, as an address may be that
 * a pair of machines shares.
 */
export async function ownAddress(host: string): Promise<string | null> {
  if (isIP(host) !== 0) return isOwnAddress(host) ? host : null;
  // Of several, Caddy listens on one, of IPv4 if there is one.
  const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(() => []);
  return found.map(({ address }) => address).find(isOwnAddress) ?? null;
}

/** The host that a site is asked as. */
export const nameFor = ({ name }: Place): string => name.replaceAll('*', ANY_LABEL) || 'localhost';

/** What is sent as SNI; null: nothing, for an address. */
export function sentName(place: Place): string | null {
  const name = nameFor(place);
  return isIP(name) === 0 ? name : null;
}

/** The fault of a port that is closed. */
export const nobodyAt = (port: number): string => `Nothing listens on port ${port}`;

/** Whether it listens on every address. */
export const isAny = (host: string): boolean => ['', '0.0.0.0', '::'].includes(host);

/** The host as visitors send it. */
export function hostOf(place: Place): string {
  const name = nameFor(place);
  const host = name.includes(':') ? `[${name}]` : name;
  return place.port === (place.tls ? 443 : 80) ? host : `${host}:${place.port}`;
}

/** Looks for a text in chunks: null as long as it may still come. */
function createSearch(text: string): (chunk: Buffer) => boolean | null {
  const body = Buffer.alloc(MOST_BYTES);
  const wanted = Buffer.from(text);
  let size = 0;
  return (chunk) => {
    const from = Math.max(0, size - wanted.length);
    size += chunk.copy(body, size);
    if (body.subarray(0, size).includes(wanted, from)) return true;
    return size === MOST_BYTES ? false : null;
  };
}

function faultOf({ code = '', message }: NodeJS.ErrnoException, { port }: Place): string {
  if (code === 'ERR_INVALID_CHAR') return 'No request can name this site';
  if (code === 'ECONNREFUSED') return nobodyAt(port);
  if (NO_CERTIFICATE.test(`${code} ${message}`)) return NO_CERTIFICATE_YET;
  if (code.startsWith('ERR_SSL')) return `The TLS handshake on port ${port} failed`;
  if (code.startsWith('HPE_')) return `The response on port ${port} is not HTTP`;
  return `Caddy closed the connection on port ${port} without an answer`;
}
