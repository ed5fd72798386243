/** How the hub verifies that it talks to its own agent. */
import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { Failure } from '../../shared/failure.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';

/** `ca`: the agent's certificate or its issuer's, as PEM; `fingerprint`: SHA-256 of the agent's certificate. */
export type AgentTrust = { ca: string } | { fingerprint: string };

type PeerCertificate = { raw?: Uint8Array };
/** The `tls` option of `fetch`. Another agent never sees a request, and so never the token. */
export type FetchTls = {
  ca: string;
  checkServerIdentity?: (host: string, peer: PeerCertificate) => Error | undefined;
};

/** Whether nobody on the way to an agent can read what is sent there. */
export function isConfidential(url: string): boolean {
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || isLoopbackHost(host);
}

/** @param url of the agent @throws Failure INVALID_REQUEST if a key would travel to it in clear */
export function assertConfidential(url: string): void {
  if (isConfidential(url)) return;
  throw new Failure(
    'INVALID_REQUEST',
    'The connection to the agent is plain HTTP: the key would be readable on the way.',
    {
      hint: 'Enrol the agent by an invitation (signalbox agent --invite): then the connection is encrypted.',
      at: { field: 'key' },
    },
  );
}

const HANDSHAKE_MS = 10_000;

const sha256 = (der: Uint8Array) => createHash('sha256').update(der).digest('hex');

/** `AB:CD:…` in any case, with or without colons, as 64 hexadecimal digits; null for anything else. */
export function normalFingerprint(text: string): string | null {
  const digits = text
    .replace(/^sha256[:=]/i, '')
    .replaceAll(':', '')
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : null;
}

/**
 * The `tls` option for a request.
 * @param signal ends the wait for it @throws Error if the agent presents a different certificate
 */
type AgentTls = (signal?: AbortSignal | null) => Promise<FetchTls>;

/** @param url where the agent listens, over HTTPS */
export function createAgentTls(url: string, trust: AgentTrust): AgentTls {
  if ('ca' in trust) return async () => ({ ca: trust.ca, ...ownNames(trust.ca) });
  const { fingerprint } = trust;
  let known: FetchTls | null = null;
  return async (signal) => {
    known ??= await pinned(url, fingerprint, signal);
    return known;
  };
}

/** The agent's own certificate may carry any name, because the operator chose both it and the address. */
function ownNames(pem: string): Pick<FetchTls, 'checkServerIdentity'> {
  const certificate = new X509Certificate(pem);
  if (certificate.ca) return {};
  const own = sha256(certificate.raw);
  return { checkServerIdentity: (_, peer) => sameAs(own, peer) };
}

const sameAs = (wanted: string, { raw }: PeerCertificate): Error | undefined =>
  raw && sha256(raw) === wanted
    ? undefined
    : new Error('the agent presents a different certificate');

/**
 * `fetch` cannot be asked about a certificate it does not trust. So this first connects to read the
 * agent's certificate, and trusts only that one if it has the fingerprint.
 */
function pinned(
  url: string,
  fingerprint: string,
  signal: AbortSignal | null = null,
): Promise<FetchTls> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      if (!raw || sha256(raw) !== fingerprint) {
        reject(new Error('the agent presents a different certificate'));
        return;
      }
      const lines = raw.toString('base64').replace(/.{64}/g, '$&\n');
      resolve({
        ca: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
        checkServerIdentity: (_, peer) => sameAs(fingerprint, peer),
      });
    });
    const giveUp = () => socket.destroy(new Error('the agent does not answer'));
    socket.setTimeout(HANDSHAKE_MS, giveUp);
    signal?.addEventListener('abort', giveUp);
    socket.on('error', reject);
  });
}
