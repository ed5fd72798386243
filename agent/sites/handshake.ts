/** Asks the local proxy for the certificate of a name, with a TLS handshake and no request. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect, type PeerCertificate } from 'node:tls';
import { within } from '../../src/shared/async.ts';
import type { SiteCertificate } from '../../src/shared/wire/sites.ts';

/** Where to connect, and the name to ask for. */
export type Target = {
  /** The address that the proxy listens on; empty for any. */
  host: string;
  port: number;
  /** A host name, `*.example`, or an IP address. */
  name: string;
};

/** `reason` says why there is no certificate. */
export type HandshakeResult =
  | { certificate: SiteCertificate }
  | { certificate: null; reason: string };

/** Ample, because the proxy is on this machine. */
const TIMEOUT_MS = 3_000;

/** Replaces the `*` of a wildcard; Caddy answers with the wildcard's certificate. */
export const ANY_LABEL = 'signalbox-state';

/** How Caddy ends a handshake if it has no certificate for the name (RFC 8446, 6.2: alert 80). */
export const NO_CERTIFICATE = /ALERT_INTERNAL_ERROR|UNRECOGNIZED_NAME/;

const MOST_NAMES = 100;

/** Never rejects. Makes no request, so nothing appears in the access log. */
export function handshake({ host, port, name }: Target): Promise<HandshakeResult> {
  const address = isIP(name);
  // Never connect to another machine because a site is named after its address.
  if (address !== 0 && !isOwnAddress(name)) {
    return Promise.resolve(none('This is not an address of the proxy’s machine.'));
  }
  const servername = name.replace(/^\*\./, `${ANY_LABEL}.`);
  const { promise, resolve } = Promise.withResolvers<HandshakeResult>();
  const socket = connect({
    host: address === 0 ? reachable(host) : name,
    port,
    // The certificate is of interest even if it is not trusted.
    rejectUnauthorized: false,
    ...(address === 0 ? { servername } : {}),
  });
  socket.once('secureConnect', () => {
    const certificate = read(socket.getPeerCertificate());
    resolve(certificate ? { certificate } : none('The proxy presented no certificate.'));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(none(reasonOf(error))));
  socket.once('close', () => resolve(none('The proxy closed the connection.')));
  const late = () => none('The proxy does not answer.');
  return within(promise, TIMEOUT_MS, late).finally(() => socket.destroy());
}

const none = (reason: string): HandshakeResult => ({ certificate: null, reason });

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (NO_CERTIFICATE.test(`${code} ${message}`))
    return 'The proxy has no certificate for this name yet.';
  if (code === 'ECONNREFUSED') return 'The proxy does not listen on this port.';
  return 'The handshake failed.';
}

/** An address to connect to; a listener on any address is reached over loopback. */
export function reachable(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Whether it is an address of this machine; a name never is. */
export function isOwnAddress(name: string): boolean {
  const family = isIP(name);
  if (family === 0) return false;
  if (family === 4 && name.startsWith('127.')) return true;
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap(
    (all) => all ?? [],
  )) {
    own.addAddress(address, family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  return own.check(name.replace(/%.*$/, ''), family === 4 ? 'ipv4' : 'ipv6');
}

function read(peer: PeerCertificate): SiteCertificate | null {
  const [notBefore, notAfter] = [Date.parse(peer.valid_from), Date.parse(peer.valid_to)];
  if (!Number.isFinite(notBefore) || !Number.isFinite(notAfter)) return null;
  return {
    issuer: nameIn(peer.issuer),
    names: (peer.subjectaltname ?? '')
      .split(', ')
      .map((one) => one.replace(/^[^:]*:/, ''))
      .filter((one) => one !== '')
      .slice(0, MOST_NAMES),
    notBefore: new Date(notBefore).toISOString(),
    notAfter: new Date(notAfter).toISOString(),
    fingerprint: peer.fingerprint256,
  };
}

/** `R11 (Let's Encrypt)`: common name and organisation, as far as they are set. */
function nameIn(of: PeerCertificate['issuer'] | undefined): string {
  const [common, organisation] = [of?.CN, of?.O].map((one) => String(one ?? ''));
  return common && organisation ? `${common} (${organisation})` : common || organisation || '';
}
