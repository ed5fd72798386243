/** Why the hub believes that it talks to its own agent. */
import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';

/** The certificate of the agent, or of who signed it, as PEM; or the agent's own by its fingerprint. */
export type AgentTrust = { ca: string } | { fingerprint: string };

type PeerCertificate = { raw?: Uint8Array };
/** What `fetch` is told of TLS; a wrong agent never sees a request, and so no token. */
export type FetchTls = {
  ca: string;
  checkServerIdentity?: (host: string, peer: PeerCertificate) => Error | undefined;
};

const LOOK_MS = 10_000;

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
 * @param url where the agent listens
 * @returns what each request is sent with; rejects where the agent shows another certificate
 */
export function createAgentTls(
  url: string,
  trust: AgentTrust | null,
): () => Promise<FetchTls | null> {
  if (trust === null || !url.startsWith('https:')) return async () => null;
  if ('ca' in trust) return async () => ({ ca: trust.ca, ...ownNames(trust.ca) });
  const { fingerprint } = trust;
  let known: FetchTls | null = null;
  return async () => {
    known ??= await pinned(url, fingerprint);
    return known;
  };
}

/** A certificate that is named itself may carry any name: the address was the operator's choice. */
function ownNames(pem: string): Pick<FetchTls, 'checkServerIdentity'> {
  const certificate = new X509Certificate(pem);
  if (certificate.ca) return {};
  const own = sha256(certificate.raw);
  return { checkServerIdentity: (_, peer) => sameAs(own, peer) };
}

const sameAs = (wanted: string, { raw }: PeerCertificate): Error | undefined =>
  raw && sha256(raw) === wanted ? undefined : new Error('the agent shows another certificate');

/**
 * `fetch` asks nobody about a certificate it does not trust, so the agent is asked for it first,
 * and it becomes the only one that is trusted when it is the one that was named.
 */
function pinned(url: string, fingerprint: string): Promise<FetchTls> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      if (!raw || sha256(raw) !== fingerprint) {
        reject(new Error('the agent shows another certificate'));
        return;
      }
      const lines = raw.toString('base64').replace(/.{64}/g, '$&\n');
      resolve({
        ca: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
        checkServerIdentity: (_, peer) => sameAs(fingerprint, peer),
      });
    });
    socket.setTimeout(LOOK_MS, () => socket.destroy(new Error('the agent does not answer')));
    socket.on('error', reject);
  });
}
