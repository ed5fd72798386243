/** Requests from the addresses of a moved network, and what answered them. */
import { isIP } from 'node:net';
import type { Got } from './lan.ts';
import { SOURCES } from './npm.ts';
import { sendRaw } from './raw.ts';

export type Visit = {
  scheme: string;
  method: string;
  host: string;
  /** The path with its query, as it is sent. */
  path: string;
  from: keyof typeof SOURCES;
  /** `name:password` */
  as?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  isWebsocket?: boolean;
};

/** What one saw of it: the status is 0 if there was no answer. */
export type Seen = {
  status: number;
  got: Got | null;
  location: string | null;
  isAskedWho: boolean;
  body: string;
};

const ownPorts = ({ http, https }: { http: string; https: string }) =>
  new RegExp(`:(?:${new URL(http).port}|${new URL(https).port})(?=/|$)`);

/** @param proxy where it listens: its URLs for both schemes */
export async function visit(
  proxy: { http: string; https: string },
  { scheme, method, host, path, from, as, headers = {}, isWebsocket = false }: Visit,
): Promise<Seen> {
  const url = scheme === 'https' ? proxy.https : proxy.http;
  const lines = Object.entries({
    Host: host,
    ...headers,
    ...(as !== undefined && { Authorization: `Basic ${Buffer.from(as).toString('base64')}` }),
    ...(method === 'POST' && { 'Content-Length': '0' }),
    ...(isWebsocket
      ? {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        }
      : { Connection: 'close' }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await sendRaw(url, `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, {
    localAddress: SOURCES[from],
    ...(isIP(host) === 0 && { servername: host }),
  });
  const header = (name: string) =>
    new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(answer.head)?.[1] ?? null;
  const got = header('x-got');
  return {
    status: answer.status,
    got: got === null ? null : JSON.parse(decodeURIComponent(got)),
    // Some name the port that they listen on, which would be the scheme's own.
    location: header('location')?.replace(ownPorts(proxy), '') ?? null,
    isAskedWho: header('www-authenticate') !== null,
    body: answer.body,
  };
}

/** Sends all of them, a few at a time. @returns what was seen, in the same order */
export async function visitAll(
  proxy: { http: string; https: string },
  visits: readonly Visit[],
): Promise<Seen[]> {
  const seen: Seen[] = [];
  const rest = visits.entries();
  const work = async () => {
    for (const [index, one] of rest) seen[index] = await visit(proxy, one);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return seen;
}
