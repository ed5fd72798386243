/** Certificates that sign themselves, for this machine. */
import { generate } from 'selfsigned';

const DNS_NAME = 2;
const IP_ADDRESS = 7;

/**
 * @param seconds how long it is valid, from now on
 * @returns both as PEM; whoever trusts the certificate needs no other
 */
export async function selfSigned(
  names: readonly string[],
  seconds = 86_400,
): Promise<{ certificate: string; key: string }> {
  const now = Date.now();
  const pair = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Clocks are rounded to seconds.
    notBeforeDate: new Date(now - 1_000),
    notAfterDate: new Date(now + seconds * 1_000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: DNS_NAME, value }) as const),
          { type: IP_ADDRESS, ip: '127.0.0.1' } as const,
        ],
      },
    ],
  });
  return { certificate: pair.cert, key: pair.private };
}
