/** `signalbox agent --new-cert`: a self-signed certificate for the agent. */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';

export type NewCertificate = {
  /** Files that must not exist yet. */
  cert: string;
  key: string;
  /** Host names and addresses it is for. */
  names: readonly string[];
  now: Date;
};

/** The hub knows it by its fingerprint, so it need not be changed for as long as the machine lives. */
const YEARS = 10;

/** A subjectAltName is a DNS name or an IP address (RFC 5280 4.2.1.6). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** @throws Error where one of the files exists already, or cannot be written */
export async function newCertificate({ cert, key, names, now }: NewCertificate) {
  const there = [cert, key].find((file) => existsSync(file));
  if (there !== undefined) throw new Error(`${there} is there already`);
  // Loaded here: no other command needs it.
  const { generate } = await import('selfsigned');
  const notAfterDate = new Date(now);
  notAfterDate.setFullYear(now.getFullYear() + YEARS);
  const pair = await generate([{ name: 'commonName', value: 'signalbox agent' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: now,
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [...new Set(names)].map((name) =>
          isIP(name) ? { type: IP_ADDRESS, ip: name } : { type: DNS_NAME, value: name },
        ),
      },
    ],
  });
  for (const file of [cert, key]) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(key, pair.private, { mode: 0o600, flag: 'wx' });
  writeFileSync(cert, pair.cert, { mode: 0o644, flag: 'wx' });
  return { fingerprint: new X509Certificate(pair.cert).fingerprint256 };
}
