/** The certificate that the local proxy shows for a name, by a handshake and nothing more. */

import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect, type PeerCertificate } from 'node:tls';
import type { SiteCertificate } from '../../src/shared/wire-state.ts';

/** Where to ask, and for whom. */
export type Target = {
  /** The address the proxy listens on; empty: any. */
  host: string;
  port: number;
  /** A host name, `*.example`, or an IP address. */
  name: string;
};

/** What came of a handshake; `reason` says why there is no certificate. */
export type Shown = { certificate: SiteCertificate } | { certificate: null; reason: string };

/** The proxy is on this machine: one that takes longer is not well. */
const DEADLINE_MS = 3_000;

/** Stands for the label of a wildcard; Caddy shows the certificate of the wildcard for it. */
const ANY_LABEL = 'signalbox-state';

/** Caddy ends a handshake so where it has no certificate for the name (RFC 8446, 6.2: alert 80). */
const NO_CERTIFICATE = /ALERT_INTERNAL_ERROR|UNRECOGNIZED_NAME/;

const MOST_NAMES = 100;

/** Never fails. No request is made: nothing of it stands in the access log. */
export function handshake({ host, port, name }: Target): Promise<Shown> {
  const address = isIP(name);
  // A name that is an address of another machine would have us connect there.
  if (address !== 0 && !isOwnAddress(name)) {
    return Promise.resolve(none('This address is not one of the proxy’s machine.'));
  }
  const servername = name.replace(/^\*\./, `${ANY_LABEL}.`);
  const { promise, resolve } = Promise.withResolvers<Shown>();
  const socket = connect({
    host: address === 0 ? reachable(host) : name,
    port,
    // What is shown is what is asked for, trusted or not.
    rejectUnauthorized: false,
    ...(address === 0 ? { servername } : {}),
  });
  const end = (shown: Shown) => {
    clearTimeout(timer);
    socket.destroy();
    resolve(shown);
  };
  const timer = setTimeout(() => end(none('The proxy does not answer.')), DEADLINE_MS);
  socket.once('secureConnect', () => {
    const certificate = read(socket.getPeerCertificate());
    end(certificate ? { certificate } : none('The proxy shows no certificate.'));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => end(none(reasonOf(error))));
  socket.once('close', () => end(none('The proxy ended the connection.')));
  return promise;
}

const none = (reason: string): Shown => ({ certificate: null, reason });

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (NO_CERTIFICATE.test(`${code} ${message}`)) return 'The proxy has no certificate for it yet.';
  if (code === 'ECONNREFUSED') return 'The proxy does not listen there.';
  return 'The handshake failed.';
}

/** Every address includes loopback. */
function reachable(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function isOwnAddress(name: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return /^127\./.test(name) || own.some(({ address }) => address === name);
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

/** `R11 (Let's Encrypt)`: common name and organisation, as far as there are any. */
function nameIn(of: PeerCertificate['issuer'] | undefined): string {
  const [common, organisation] = [of?.CN, of?.O].map((one) => String(one ?? ''));
  return common && organisation ? `${common} (${organisation})` : common || organisation || '';
}
