/** Certificates for this machine: some sign themselves, others are of an authority that a test makes. */
import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

const DNS_NAME = 2;
const IP_ADDRESS = 7;

type Pem = { certificate: string; key: string };

/** @param of who signs; without it, the certificate signs itself */
async function sign(common: string, seconds: number, extensions: object[], of?: Pem): Promise<Pem> {
  const now = Date.now();
  const pair = await generate([{ name: 'commonName', value: common }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Clocks are rounded to seconds.
    notBeforeDate: new Date(now - 1_000),
    notAfterDate: new Date(now + seconds * 1_000),
    extensions: extensions as never,
    ...(of && { ca: { key: of.key, cert: of.certificate } }),
  });
  return { certificate: pair.cert, key: pair.private };
}

const named = (altNames: object[]) => ({ name: 'subjectAltName', altNames });
const dns = (names: readonly string[]) => names.map((value) => ({ type: DNS_NAME, value }));

/**
 * @param seconds how long it is valid, from now on
 * @returns both as PEM; whoever trusts the certificate needs no other
 */
export const selfSigned = (names: readonly string[], seconds = 86_400): Promise<Pem> =>
  sign(names[0] ?? '', seconds, [named([...dns(names), { type: IP_ADDRESS, ip: '127.0.0.1' }])]);

/** An authority, for `makeChain`. */
export const makeIssuer = (name = 'Test authority'): Promise<Pem> =>
  sign(name, 3_650 * 86_400, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);

type Wanted = { names: readonly string[]; days: number; issuer: Pem };

/** A certificate as a hub keeps it, with its issuer behind it; and by which serial a handshake shows it. */
export async function makeChain({ names, days, issuer }: Wanted) {
  const leaf = await sign(names[0] ?? '', days * 86_400, [named(dns(names))], issuer);
  const chain = `${leaf.certificate.trim()}\n${issuer.certificate.trim()}\n`;
  return { names, chain, key: leaf.key, serial: new X509Certificate(chain).serialNumber };
}
export type Chain = Awaited<ReturnType<typeof makeChain>>;
