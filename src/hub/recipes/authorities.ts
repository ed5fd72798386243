/** The certificates of authorities, as people paste them. */
import { X509Certificate } from 'node:crypto';

const BLOCK = /\s*-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*/y;
const MAX_AUTHORITIES = 20;
/** Bits; shorter keys of RSA can be broken. */
const LEAST_RSA = 2_048;

/** What a text fails to be if not one or more certificates of authorities in PEM; null if it is that. */
export function faultOfAuthorities(pem: string): string | null {
  if (pem.includes('PRIVATE KEY-')) {
    return 'the certificate alone, without the private key: never give that to anyone';
  }
  const texts = blocksOf(pem);
  if (!texts) return 'one or more certificates in PEM, and nothing else';
  if (texts.length > MAX_AUTHORITIES) return `at most ${MAX_AUTHORITIES} certificates`;
  for (const [index, text] of texts.entries()) {
    const words = faultOfOne(text);
    if (words) return `${words}: see certificate ${index + 1}`;
  }
  return null;
}

/** The certificates of a text that has no fault, as DER in base64. */
export const authoritiesIn = (pem: string): string[] =>
  (blocksOf(pem) ?? []).map((text) => Buffer.from(text, 'base64').toString('base64'));

/** What is between the lines that begin and end each certificate; null if anything else is there. */
function blocksOf(pem: string): string[] | null {
  const found: string[] = [];
  const pattern = new RegExp(BLOCK);
  while (pattern.lastIndex < pem.length) {
    const text = pattern.exec(pem)?.[1];
    if (text === undefined) return null;
    found.push(text);
  }
  return found.length > 0 ? found : null;
}

function faultOfOne(text: string): string | null {
  const der = Buffer.from(text, 'base64');
  try {
    const certificate = new X509Certificate(der);
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
    if (!certificate.raw.equals(der)) return UNREADABLE;
    if (!certificate.ca || !certificate.subject) return 'the certificate of an authority (CA:TRUE)';
    if (Date.parse(certificate.validTo) < Date.now()) return 'a certificate that has not expired';
    const isWeak = type === 'rsa' && (details?.modulusLength ?? 0) < LEAST_RSA;
    return isWeak ? `a certificate with a key of at least ${LEAST_RSA} bits` : null;
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = 'a certificate that can be read';
