/** Keys and certificates that sign themselves. */
import { isIP } from 'node:net';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate and its key, both as PEM. */
export type Pair = { cert: string; key: string };

/** Loaded here: few programs ever need it. The first import prepares what the second needs. */
export async function loadX509() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** A new key pair; what it signs needs `algorithm`. */
export async function newKeys() {
  const { PemConverter } = await loadX509();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { keys, algorithm: ALGORITHM, pem: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n` };
}

/**
 * @param common the name of whom it is for
 * @param names the host names and addresses that it is valid for
 */
export async function newSelfSigned(
  common: string,
  names: readonly string[],
  notBefore: Date,
  notAfter: Date,
): Promise<Pair> {
  const x509 = await loadX509();
  const { keys, algorithm, pem } = await newKeys();
  const alternatives = [...new Set(names)].map(
    (value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const,
  );
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    name: [{ CN: [common] }],
    signingAlgorithm: algorithm,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.SubjectAlternativeNameExtension(alternatives),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: pem };
}
