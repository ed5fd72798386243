/** Certificates for this machine: some sign themselves, others are of an authority that a test makes. */
import { X509Certificate } from 'node:crypto';
import type { Extension } from '@peculiar/x509';
import { loadX509, newKeys } from '../../src/shared/x509.ts';

const x509 = await loadX509();
const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags } = x509;

type Pem = { certificate: string; key: string };

/** @param of who signs; without it, the certificate signs itself */
async function sign(
  common: string,
  seconds: number,
  extensions: Extension[],
  of?: Pem,
): Promise<Pem> {
  const now = Date.now();
  const { keys, algorithm, pem } = await newKeys();
  const issuer = of && {
    name: new x509.X509Certificate(of.certificate).subject,
    key: await crypto.subtle.importKey(
      'pkcs8',
      x509.PemConverter.decodeFirst(of.key),
      algorithm,
      false,
      ['sign'],
    ),
  };
  const subject = new x509.Name([{ CN: [common] }]).toString();
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer?.name ?? subject,
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    signingAlgorithm: algorithm,
    // Clocks are rounded to seconds.
    notBefore: new Date(now - 1_000),
    notAfter: new Date(now + seconds * 1_000),
    extensions,
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pem };
}

const named = (names: readonly string[], addresses: readonly string[] = []) =>
  new x509.SubjectAlternativeNameExtension([
    ...names.map((value) => ({ type: 'dns', value }) as const),
    ...addresses.map((value) => ({ type: 'ip', value }) as const),
  ]);

/**
 * @param seconds how long it is valid, from now on
 * @returns both as PEM; whoever trusts the certificate needs no other
 */
export const selfSigned = (names: readonly string[], seconds = 86_400): Promise<Pem> =>
  sign(names[0] ?? '', seconds, [named(names, ['127.0.0.1'])]);

/** An authority, for `makeChain`. */
export const makeIssuer = (name = 'Test authority'): Promise<Pem> =>
  sign(name, 3_650 * 86_400, [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);

type Wanted = { names: readonly string[]; days: number; issuer: Pem };

/** A certificate as a hub keeps it, with its issuer behind it; and by which serial a handshake shows it. */
export async function makeChain({ names, days, issuer }: Wanted) {
  const leaf = await sign(names[0] ?? '', days * 86_400, [named(names)], issuer);
  const chain = `${leaf.certificate.trim()}\n${issuer.certificate.trim()}\n`;
  return { names, chain, key: leaf.key, serial: new X509Certificate(chain).serialNumber };
}
export type Chain = Awaited<ReturnType<typeof makeChain>>;
