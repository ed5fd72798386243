/** Finds out what an upstream speaks, in as few connections as it takes. */
import type { Connects, PeerCertificate, Speaks } from '../../../src/features/explain/wire.ts';
import { printable, wantsTls } from './apps.ts';
import { exchange, isAlert, type Peer, type Reply } from './exchange.ts';
import type { SiteUpstream } from './site.ts';

export type Speech = {
  connects: Connects;
  speaks: Speaks;
  status: number | null;
  banner: string | null;
  certificate: PeerCertificate | null;
};

/** Asks an upstream one question. Null: it has been asked often enough. */
export type AskUpstream = (peer: Peer, request: Buffer) => Promise<Reply> | null;

export const NOT_ASKED: Speech = {
  connects: 'unknown',
  speaks: 'unknown',
  status: null,
  banner: null,
  certificate: null,
};

/** The client's preface of HTTP/2, and an empty frame of settings (RFC 9113, 3.4 and 6.5). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
const SETTINGS = 0x04;

/** Counts the questions to one upstream. */
export function createAsking(most: number): {
  ask: AskUpstream;
  spend: (count?: number) => boolean;
} {
  let left = most;
  const spend = (count = 1) => {
    if (left < count) return false;
    left -= count;
    return true;
  };
  return { spend, ask: (peer, request) => (spend() ? exchange(peer, request) : null) };
}

/** @param request a plain one, by the upstream's own name */
export async function speak(
  { dial, wanted, serverName }: SiteUpstream,
  request: Buffer,
  ask: AskUpstream,
): Promise<Speech> {
  if (dial === null) return NOT_ASKED;
  const plain: Peer = { place: dial, tls: null };
  const secure: Peer = { place: dial, tls: serverName || ('host' in dial ? dial.host : '') };
  const hello = () => ask(secure, request);
  if (wanted === 'other') return reached(await ask(plain, Buffer.alloc(0)));
  if (wanted === 'h2c') return ofPrior(await ask(plain, PREFACE));
  if (wanted === 'https') {
    const named = { ...secure, tls: serverName };
    const reply = await ask(named, request);
    const isSilent = reply?.kind === 'silent';
    if (isSilent && reply.certificate) return over((await ask(named, request)) ?? reply);
    return isSilent || reply?.kind === 'handshake'
      ? withoutTls(await ask(plain, request), reply)
      : over(reply);
  }
  const reply = await ask(plain, request);
  if (reply === null || isUnconnected(reply)) return reached(reply);
  const speech = over(reply);
  if (reply.kind === 'http') {
    const mayWantTls = wantsTls(reply.body) || reply.status === 400 || leadsToTls(reply, dial);
    if (!mayWantTls) return speech;
    const saysSo: Speech = wantsTls(reply.body) ? { ...speech, speaks: 'tls' } : speech;
    return afterHello(await hello(), saysSo);
  }
  if (reply.kind === 'bytes') {
    if (isSettings(reply.bytes)) return { ...speech, speaks: 'h2', banner: null };
    return isAlert(reply.bytes) || speech.banner === null
      ? afterHello(await hello(), speech)
      : speech;
  }
  if (reply.kind === 'large') return speech;
  // A hang is one only if it does so twice; the other questions are asked meanwhile.
  const retry = reply.kind === 'silent' ? ask(plain, request) : null;
  const [secured, prior, second] = await Promise.all([hello(), ask(plain, PREFACE), retry]);
  if (secured?.certificate) return afterHello(secured, speech);
  if (prior?.kind === 'bytes') {
    if (isSettings(prior.bytes)) return { ...speech, speaks: 'h2' };
    // Redis closes without a word as soon as it reads `Host:`.
    if (printable(prior.bytes) !== null) return over(prior);
  }
  if (second && second.kind !== 'silent') return over(second);
  return speech;
}

/** What is known after a handshake: whether it is TLS that is spoken there. */
const afterHello = (hello: Reply | null, otherwise: Speech): Speech =>
  hello?.certificate
    ? { ...otherwise, speaks: 'tls', banner: null, certificate: hello.certificate }
    : otherwise;

/** Over TLS there was no handshake. */
function withoutTls(plain: Reply | null, failed: Reply): Speech {
  const speech = plain === null || isUnconnected(plain) ? over(failed) : over(plain);
  if (plain?.kind === 'http' && !wantsTls(plain.body)) return { ...speech, speaks: 'plain' };
  if (plain?.kind === 'silent' && failed.kind === 'silent') return speech;
  const isOther = plain?.kind === 'bytes' && !isAlert(plain.bytes) && speech.banner !== null;
  return { ...speech, speaks: isOther ? 'other' : 'handshake' };
}

function ofPrior(reply: Reply | null): Speech {
  const speech = over(reply);
  if (reply?.kind === 'bytes' && isSettings(reply.bytes)) {
    return { ...speech, speaks: 'http', banner: null };
  }
  return reply?.kind === 'http' ? { ...speech, speaks: 'plain' } : speech;
}

const isSettings = (bytes: Buffer): boolean =>
  bytes.length >= 9 && bytes[3] === SETTINGS && bytes.readUInt32BE(5) === 0;

/** A redirect to the same port by HTTPS, as servers make that take both there. */
function leadsToTls(reply: Reply, dial: NonNullable<SiteUpstream['dial']>): boolean {
  if (reply.kind !== 'http' || 'path' in dial) return false;
  const to = URL.parse(reply.headers.get('location') ?? '');
  return to?.protocol === 'https:' && Number(to.port || 443) === dial.port;
}

const CONNECTS: Partial<Record<Reply['kind'], Connects>> = {
  refused: 'refused',
  late: 'late',
  denied: 'unknown',
  missing: 'socket',
};

const isUnconnected = ({ kind }: Reply): boolean => CONNECTS[kind] !== undefined;

/** Only whether there was a connection. */
function reached(reply: Reply | null): Speech {
  if (reply === null) return NOT_ASKED;
  return { ...NOT_ASKED, connects: CONNECTS[reply.kind] ?? 'open' };
}

const SPEAKS: Partial<Record<Reply['kind'], Speaks>> = {
  http: 'http',
  bytes: 'other',
  large: 'large',
  closed: 'closes',
  silent: 'hangs',
  handshake: 'handshake',
};

/** What an answer shows by itself. */
function over(reply: Reply | null): Speech {
  if (reply === null || isUnconnected(reply)) return reached(reply);
  return {
    connects: 'open',
    speaks: SPEAKS[reply.kind] ?? 'unknown',
    status: reply.kind === 'http' ? reply.status : null,
    banner: reply.kind === 'bytes' ? printable(reply.bytes) : null,
    certificate: reply.certificate,
  };
}
