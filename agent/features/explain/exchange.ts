/** One connection and one question: what comes back, whatever it is, within limits of bytes and time. */
import { connect, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { PeerCertificate as Certificate } from '../../../src/features/explain/wire.ts';
import { socketPath } from '../../sites/upstreams/dial.ts';

export type Peer = {
  place: { host: string; port: number } | { path: string };
  /** The server name to ask for, empty for none; null: plain. */
  tls: string | null;
  /** The address of this machine to connect from; without, the system chooses. */
  from?: string;
};

type Head = {
  status: number;
  headers: ReadonlyMap<string, string>;
  /** `name=value` of each cookie that it sets. */
  cookies: readonly string[];
};

/**
 * What came. `bytes`: no HTTP; `large`: headers without an end; `closed` and `silent`: nothing, although there is a
 * connection, not even a handshake if there is no certificate; `handshake`: TLS failed; `refused`, `late`, `denied`,
 * `missing`: there was no connection.
 */
export type Reply = { ms: number; certificate: Certificate | null } & (
  | ({ kind: 'http'; body: string } & Head)
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'large' | 'closed' | 'silent' | 'handshake' }
  | { kind: 'refused' | 'late' | 'denied' | 'missing' }
);

/** Milliseconds for each question. */
const ANSWER_MS = 5_000;
const MOST_HEAD = 64 * 1024;
const MOST_BODY = 16 * 1024;
/** Of what is not HTTP. */
const MOST_BANNER = 200;
/** How long more of a banner, or of a body, may take. */
const MORE_MS = 300;
const MOST_NAMES = 20;
/** Interim responses before the one that counts, such as 103. */
const MOST_INTERIM = 32;
const END = /\r?\n\r?\n/;

/**
 * Never rejects. Any certificate is accepted.
 * @param request sent once there is a connection
 * @param timeout milliseconds
 */
export function exchange(peer: Peer, request: Buffer, timeout = ANSWER_MS): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const start = performance.now();
  const { place, from } = peer;
  const raw = connect(
    'path' in place
      ? { path: socketPath(place.path) }
      : { ...place, ...(from !== undefined && { localAddress: from }) },
  );
  let socket: Socket = raw;
  let certificate: Certificate | null = null;
  let isReached = false;
  let isOpen = false;
  let received = Buffer.alloc(0);
  let more: Timer | undefined;

  const end = (reply: Outcome) => {
    clearTimeout(late);
    clearTimeout(more);
    resolve({ ...reply, certificate, ms: Math.round(performance.now() - start) });
    socket.destroy();
    raw.destroy();
  };
  const late = setTimeout(() => {
    if (received.length > 0) end(read(received, true) ?? { kind: 'silent' });
    else end({ kind: isReached ? 'silent' : 'late' });
  }, timeout);

  function ended(error?: NodeJS.ErrnoException): void {
    if (received.length > 0) end(read(received, true) ?? { kind: 'closed' });
    else if (isReached) end({ kind: isOpen ? 'closed' : 'handshake' });
    else end({ kind: UNCONNECTED[error?.code ?? ''] ?? 'refused' });
  }

  function receive(bytes: Buffer): void {
    received = Buffer.concat([received, bytes]);
    const outcome = read(received, false);
    if (outcome) end(outcome);
    // A head may come in pieces; of all else, whatever is there after a while counts.
    else if (!isWorthWaiting(received)) {
      more ??= setTimeout(() => end(read(received, true) ?? { kind: 'silent' }), MORE_MS);
    }
  }

  function opened(): void {
    isOpen = true;
    socket.write(request);
  }

  function listen(on: Socket): void {
    on.on('error', ended);
    on.on('close', () => ended());
    on.on('end', () => ended());
  }

  listen(raw);
  raw.once('connect', () => {
    isReached = true;
    if (peer.tls === null) {
      raw.on('data', receive);
      return opened();
    }
    const named = peer.tls === '' || isIP(peer.tls) !== 0 ? {} : { servername: peer.tls };
    const tls = connectTls({ socket: raw, rejectUnauthorized: false, ...named });
    socket = tls;
    listen(tls);
    tls.on('data', receive);
    tls.once('secureConnect', () => {
      certificate = certificateOf(tls, nameFor(peer));
      opened();
    });
  });
  return promise;
}

/** One `GET`, as a browser asks for a page. */
export const requestFor = (
  path: string,
  host: string,
  userAgent: string,
  headers: readonly string[] = [],
): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      `User-Agent: ${userAgent}`,
      'Accept: text/html,application/xhtml+xml,*/*;q=0.8',
      ...(headers.some((line) => line.startsWith('Connection:')) ? [] : ['Connection: close']),
      ...headers,
      '\r\n',
    ].join('\r\n'),
    'latin1',
  );

type Outcome =
  | ({ kind: 'http'; body: string } & Head)
  | { kind: 'bytes'; bytes: Buffer }
  | {
      kind: 'large' | 'closed' | 'silent' | 'handshake' | 'refused' | 'late' | 'denied' | 'missing';
    };

const UNCONNECTED: Readonly<Record<string, 'denied' | 'missing' | 'late'>> = {
  EACCES: 'denied',
  EPERM: 'denied',
  ENOENT: 'missing',
  ETIMEDOUT: 'late',
};

const isHttp = (bytes: Buffer): boolean =>
  'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7)) ||
  bytes.toString('latin1', 0, 7) === 'HTTP/1.';

/** A head whose end has not come yet. */
const isWorthWaiting = (bytes: Buffer): boolean =>
  isHttp(bytes) && !END.test(bytes.toString('latin1'));

/** What it is so far; null if more is to come. @param isAll whether nothing more does */
function read(bytes: Buffer, isAll: boolean, interim = 0): Outcome | null {
  if (!isHttp(bytes)) {
    const isEnough = isAll || bytes.length >= MOST_BANNER || isAlert(bytes);
    return isEnough ? { kind: 'bytes', bytes: bytes.subarray(0, MOST_BANNER) } : null;
  }
  const text = bytes.toString('latin1');
  const [gap, at] = [END.exec(text)?.[0] ?? '', text.search(END)];
  if (at < 0) {
    if (bytes.length > MOST_HEAD) return { kind: 'large' };
    return isAll ? { kind: 'silent' } : null;
  }
  const head = parseHead(text.slice(0, at));
  if (head === null) return { kind: 'bytes', bytes: bytes.subarray(0, MOST_BANNER) };
  const rest = bytes.subarray(at + gap.length);
  // 103 and the like: the response is still to come.
  if (head.status < 200 && head.status !== 101) {
    return interim === MOST_INTERIM ? { kind: 'large' } : read(rest, isAll, interim + 1);
  }
  const length = Number(head.headers.get('content-length') ?? Number.NaN);
  const isRead = head.status < 400 || rest.length >= MOST_BODY || rest.length >= length;
  if (!isAll && !isRead) return null;
  return { kind: 'http', ...head, body: rest.toString('utf8', 0, MOST_BODY) };
}

/** A TLS record that says what went wrong (RFC 8446, 6). */
export const isAlert = (bytes: Buffer): boolean => bytes[0] === 0x15 && bytes[1] === 0x03;

function parseHead(text: string): Head | null {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers = new Map<string, string>();
  const cookies: string[] = [];
  for (const line of lines) {
    const at = line.indexOf(':');
    const [name, value] = [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    if (name === 'set-cookie') cookies.push(value.replace(/;.*$/s, ''));
    else if (!headers.has(name)) headers.set(name, value);
  }
  return { status, headers, cookies };
}

/** The name that Caddy would compare the certificate with. */
const nameFor = ({ place, tls }: Peer): string => tls || ('path' in place ? '' : place.host);

function certificateOf(socket: TLSSocket, name: string): Certificate | null {
  const peer: PeerCertificate = socket.getPeerCertificate();
  if (!peer.valid_to) return null;
  const [common, organisation] = [peer.issuer?.CN, peer.issuer?.O].map((one) => String(one ?? ''));
  const until = Date.parse(peer.valid_to);
  return {
    issuer: (common || organisation || '').slice(0, 200),
    names: (peer.subjectaltname ?? '')
      .split(', ')
      .map((one) => one.replace(/^[^:]*:/, '').slice(0, 253))
      .filter((one) => one !== '')
      .slice(0, MOST_NAMES),
    notAfter: Number.isFinite(until) ? new Date(until).toISOString() : null,
    trusted: socket.authorized && checkServerIdentity(name, peer) === undefined,
  };
}
