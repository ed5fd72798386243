/** Finds out what an upstream speaks, in as few connections as it takes. */
import type { Connects, PeerCertificate, Speaks } from '../../../src/features/explain/wire.ts';
import { printable, wantsTls } from './apps.ts';
import { exchange, type Heard, isAlert, type Peer } from './exchange.ts';
import type { SiteUpstream } from './site.ts';

export type Speech = {
  connects: Connects;
  speaks: Speaks;
  status: number | null;
  banner: string | null;
  certificate: PeerCertificate | null;
};

/** Asks an upstream one question. Null: it has been asked often enough. */
export type AskUpstream = (peer: Peer, request: Buffer) => Promise<Heard> | null;

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
    const heard = await ask(named, request);
    const isSilent = heard?.kind === 'silent';
    if (isSilent && heard.certificate) return over((await ask(named, request)) ?? heard);
    return isSilent || heard?.kind === 'handshake'
      ? withoutTls(await ask(plain, request), heard)
      : over(heard);
  }
  const heard = await ask(plain, request);
  if (heard === null || isUnconnected(heard)) return reached(heard);
  const speech = over(heard);
  if (heard.kind === 'http') {
    const mayWantTls = wantsTls(heard.body) || heard.status === 400 || leadsToTls(heard, dial);
    if (!mayWantTls) return speech;
    const saysSo: Speech = wantsTls(heard.body) ? { ...speech, speaks: 'tls' } : speech;
    return afterHello(await hello(), saysSo);
  }
  if (heard.kind === 'bytes') {
    if (isSettings(heard.bytes)) return { ...speech, speaks: 'h2', banner: null };
    return isAlert(heard.bytes) || speech.banner === null
      ? afterHello(await hello(), speech)
      : speech;
  }
  if (heard.kind === 'large') return speech;
  // A hang is one only if it does so twice; the other questions are asked meanwhile.
  const again = heard.kind === 'silent' ? ask(plain, request) : null;
  const [secured, prior, second] = await Promise.all([hello(), ask(plain, PREFACE), again]);
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
const afterHello = (hello: Heard | null, otherwise: Speech): Speech =>
  hello?.certificate
    ? { ...otherwise, speaks: 'tls', banner: null, certificate: hello.certificate }
    : otherwise;

/** Over TLS there was no handshake. */
function withoutTls(plain: Heard | null, failed: Heard): Speech {
  const speech = plain === null || isUnconnected(plain) ? over(failed) : over(plain);
  if (plain?.kind === 'http' && !wantsTls(plain.body)) return { ...speech, speaks: 'plain' };
  if (plain?.kind === 'silent' && failed.kind === 'silent') return speech;
  const isOther = plain?.kind === 'bytes' && !isAlert(plain.bytes) && speech.banner !== null;
  return { ...speech, speaks: isOther ? 'other' : 'handshake' };
}

function ofPrior(heard: Heard | null): Speech {
  const speech = over(heard);
  if (heard?.kind === 'bytes' && isSettings(heard.bytes)) {
    return { ...speech, speaks: 'http', banner: null };
  }
  return heard?.kind === 'http' ? { ...speech, speaks: 'plain' } : speech;
}

const isSettings = (bytes: Buffer): boolean =>
  bytes.length >= 9 && bytes[3] === SETTINGS && bytes.readUInt32BE(5) === 0;

/** A redirect to the same port by HTTPS, as servers make that take both there. */
function leadsToTls(heard: Heard, dial: NonNullable<SiteUpstream['dial']>): boolean {
  if (heard.kind !== 'http' || 'path' in dial) return false;
  const to = URL.parse(heard.headers.get('location') ?? '');
  return to?.protocol === 'https:' && Number(to.port || 443) === dial.port;
}

const CONNECTS: Partial<Record<Heard['kind'], Connects>> = {
  refused: 'refused',
  late: 'late',
  denied: 'unknown',
  missing: 'socket',
};

const isUnconnected = ({ kind }: Heard): boolean => CONNECTS[kind] !== undefined;

/** Only whether there was a connection. */
function reached(heard: Heard | null): Speech {
  if (heard === null) return NOT_ASKED;
  return { ...NOT_ASKED, connects: CONNECTS[heard.kind] ?? 'open' };
}

const SPEAKS: Partial<Record<Heard['kind'], Speaks>> = {
  http: 'http',
  bytes: 'other',
  large: 'large',
  closed: 'closes',
  silent: 'hangs',
  handshake: 'handshake',
};

/** What an answer shows by itself. */
function over(heard: Heard | null): Speech {
  if (heard === null || isUnconnected(heard)) return reached(heard);
  return {
    connects: 'open',
    speaks: SPEAKS[heard.kind] ?? 'unknown',
    status: heard.kind === 'http' ? heard.status : null,
    banner: heard.kind === 'bytes' ? printable(heard.bytes) : null,
    certificate: heard.certificate,
  };
}
