/** The request of a log line, with all that is needed to make it again. */
import { isObject } from '../../../src/shared/json.ts';
import { parseLine, text } from './entry.ts';
import { isUsual, type ScannedLine } from './scanned-line.ts';

/** What Caddy logged of a request, as it came. */
export type LineRequest = {
  tls: boolean;
  method: string;
  host: string;
  /** With the query. */
  uri: string;
  /** Of the visitor, as in `LogEntry`; `remoteIp` is that of the connection. */
  ip: string;
  remoteIp: string;
  /** By names in lower case. */
  headers: ReadonlyMap<string, readonly string[]>;
  /** Of its body; 0 if Caddy does not log that. */
  bytesRead: number;
};

/** Reads a line with JSON.parse. Undefined if it is not an access entry. */
export function lineRequest(line: string): LineRequest | undefined {
  const parsed = parseLine(line);
  if (!parsed) return undefined;
  const { request, bytes_read: bytesRead } = parsed;
  return {
    tls: isObject(request.tls),
    method: text(request.method),
    host: text(request.host),
    uri: text(request.uri),
    ip: text(request.client_ip ?? request.remote_ip),
    remoteIp: text(request.remote_ip),
    headers: headersOf(request.headers),
    bytesRead: typeof bytesRead === 'number' ? bytesRead : 0,
  };
}

function headersOf(headers: unknown): Map<string, string[]> {
  const found = new Map<string, string[]>();
  if (!isObject(headers)) return found;
  for (const [name, values] of Object.entries(headers)) {
    if (Array.isArray(values)) found.set(name.toLowerCase(), values.map(text));
  }
  return found;
}

const [TLS, PLAIN] = ['s', '-'];

/** Equal for two lines if they have the same TLS or none, visitor, method, host and URI. */
export function identityOf({ tls, ip, method, host, uri }: LineRequest): string {
  // What the scanner reads has no escapes.
  const [from, by, to, what] = [ip, method, host, uri].map((value) =>
    JSON.stringify(value).slice(1, -1),
  );
  return `${tls ? TLS : PLAIN}${from}"${by}","host":"${to}","uri":"${what}`;
}

/** The same for a scanned line; undefined if a part is not in its usual place. */
export function scannedIdentity(buffer: Buffer, line: ScannedLine): string | undefined {
  if (!isUsual(line)) return undefined;
  const { ipStart, ipEnd, methodStart, uriEnd, headersEnd } = line;
  // What follows the headers is `},"tls":{` or another key.
  const tls = buffer[headersEnd + AFTER_HEADERS] === T ? TLS : PLAIN;
  return `${tls}${buffer.toString('utf8', ipStart, ipEnd)}"${buffer.toString('utf8', methodStart, uriEnd)}`;
}

const AFTER_HEADERS = '},"'.length;
const T = 0x74;
