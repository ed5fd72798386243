/** Reads what somebody uploads as a certificate: a chain and its key, in PEM (RFC 7468). Pure. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';

/** A pair that a proxy can serve: the chain, the leaf first, and the leaf's key as PKCS #8. */
export type Pair = Readonly<{ chain: string; key: string }>;

/** The largest chain has a hundred names and three certificates; a key of RSA 8192 has 6 KB. */
const MOST_BYTES = 64 * 1024;
const MOST_CERTIFICATES = 10;
/** What the CA/Browser Forum requires at least (Baseline Requirements, 6.1.5). */
const LEAST_RSA_BITS = 2048;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[\s\S])*-----END \1-----/g;

/**
 * @returns the pair without anything that was around it, as it is stored
 * @throws Failure INVALID_REQUEST, with the field `chain` or `key`; never with a part of the key
 */
export function readPair(chainText: string, keyText: string, now: Date): Pair {
  const key = readKey(keyText);
  const chain = readChain(chainText);
  const [leaf] = chain as [X509Certificate];
  if (!leaf.checkPrivateKey(key)) {
    if (chain.some((one) => one.checkPrivateKey(key))) throw wrong('chain', LEAF_FIRST);
    throw wrong('key', 'The key does not belong to this certificate.');
  }
  assertOrder(chain);
  assertServes(leaf, now);
  return {
    chain: chain.map((one) => one.toString().trimEnd()).join('\n'),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd(),
  };
}

function readKey(text: string): KeyObject {
  assertSize('key', text);
  const blocks = [...text.matchAll(BLOCK)].filter(([, label]) => label !== 'EC PARAMETERS');
  const [block, ...others] = blocks;
  const label = block?.[1] ?? '';
  if (!block) throw wrong('key', 'This is no private key in PEM.');
  if (blocks.some(([, one]) => one === 'CERTIFICATE')) {
    throw wrong('key', 'There is a certificate where the key belongs: are chain and key swapped?');
  }
  if (others.length > 0) throw wrong('key', 'This is more than a key: send the key alone.');
  if (!label.endsWith('PRIVATE KEY')) throw wrong('key', `This is no private key, but a ${label}.`);
  if (label.startsWith('ENCRYPTED') || block[0].includes('Proc-Type: 4,ENCRYPTED')) {
    const hint = 'Remove its passphrase: openssl pkey -in key.pem -out plain.pem';
    throw wrong('key', 'The key is encrypted with a passphrase.', hint);
  }
  const key = keyOf(block[0]);
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < LEAST_RSA_BITS) {
    const message = `The RSA key has ${bits} bits, and browsers need ${LEAST_RSA_BITS}.`;
    throw wrong('key', message);
  }
  return key;
}

/** Not with the error as its cause: that may quote the key. */
function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw wrong('key', 'The private key cannot be read: it is damaged, or of an unknown kind.');
  }
}

function readChain(text: string): X509Certificate[] {
  assertSize('chain', text);
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.some(([, label = '']) => label.endsWith('PRIVATE KEY'))) {
    throw wrong('chain', 'There is a private key in the chain: it belongs in `key`.');
  }
  const found = blocks.filter(([, label]) => label === 'CERTIFICATE');
  if (found.length === 0) {
    const hint = 'DER becomes PEM by: openssl x509 -inform der -in FILE -out FILE.pem';
    throw wrong('chain', 'There is no certificate in PEM.', hint);
  }
  if (found.length > MOST_CERTIFICATES) {
    throw wrong('chain', `A chain has at most ${MOST_CERTIFICATES} certificates.`);
  }
  return found.map(([pem], at) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw wrong('chain', `Certificate ${at + 1} of the chain cannot be read.`);
    }
  });
}

const LEAF_FIRST =
  'The certificate has to come first, then what signed it: the key belongs to a later one.';

/** Each has to be signed by the next one. */
function assertOrder(chain: readonly X509Certificate[]): void {
  for (const [at, signer] of chain.entries()) {
    const signed = chain[at - 1];
    if (!signed || isSignedBy(signed, signer)) continue;
    throw wrong('chain', `Certificate ${at + 1} of the chain did not sign the one before it.`);
  }
}

function isSignedBy(one: X509Certificate, signer: X509Certificate): boolean {
  try {
    return one.checkIssued(signer) && one.verify(signer.publicKey);
  } catch {
    return false;
  }
}

function assertServes(leaf: X509Certificate, now: Date): void {
  const { notBefore, notAfter, names } = factsOf(leaf);
  if (notAfter <= now) throw wrong('chain', `The certificate expired on ${dayOf(notAfter)}.`);
  if (notBefore > now) {
    const hint = 'Is the clock of this machine right?';
    throw wrong('chain', `The certificate is not valid before ${dayOf(notBefore)}.`, hint);
  }
  if (names.length === 0) {
    const message = 'The certificate names no host (subjectAltName): no browser accepts it.';
    throw wrong('chain', message);
  }
  if (names.every((name) => isIP(name) !== 0)) {
    throw wrong('chain', 'The certificate names addresses only, and Caddy looks for host names.');
  }
  // Extended key usages; with none, it is for everything.
  const usages = leaf.keyUsage as readonly string[] | undefined;
  if (usages && usages.length > 0 && !usages.includes(SERVER_AUTH)) {
    throw wrong('chain', 'The certificate is not for servers (extended key usage).');
  }
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function assertSize(field: 'chain' | 'key', text: string): void {
  if (Buffer.byteLength(text) <= MOST_BYTES) return;
  throw wrong(field, `This is too long: at most ${MOST_BYTES / 1024} KB.`);
}

const wrong = (field: 'chain' | 'key', message: string, hint?: string): Failure =>
  new Failure('INVALID_REQUEST', message, { at: { field }, ...(hint && { hint }) });

type CertificateFacts = Readonly<{
  /** Host names and addresses in lower case, such as `*.home.example`. */
  names: readonly string[];
  /** Of whoever signed it, such as `R11 (Let's Encrypt)`. */
  issuer: string;
  /** Lower-case hexadecimal. */
  serial: string;
  notBefore: Date;
  notAfter: Date;
}>;

const HOST = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;
const ADDRESS = /^[0-9a-f.:]+$/;

const factsOf = (leaf: X509Certificate): CertificateFacts => ({
  names: namesOf(leaf),
  issuer: issuerOf(leaf.issuer),
  serial: leaf.serialNumber.toLowerCase(),
  notBefore: new Date(leaf.validFrom),
  notAfter: new Date(leaf.validTo),
});

/** Only names that a host can have: others mean nothing to a proxy, and may be made up to mislead. */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const names = subjectAltName.split(', ').flatMap((part) => {
    const [kind, name = ''] = splitAt(part.toLowerCase(), ':');
    const isName = kind === 'dns' ? HOST.test(name) : kind === 'ip address' && ADDRESS.test(name);
    return isName && name.length <= 253 ? [name] : [];
  });
  return [...new Set(names)];
}

const splitAt = (text: string, mark: string): [string, string] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** `CN (O)`, in the lines of a distinguished name. */
function issuerOf(issuer: string): string {
  const part = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer)?.[1];
  const [name, organization] = [part('CN'), part('O')];
  if (name && organization) return `${name} (${organization})`;
  return name ?? organization ?? '';
}

/**
 * What a stored chain says of itself; `warning` for a person, if some browsers may not accept it. Parsed once:
 * lists and every publish ask.
 */
export const chainFacts = memoize(
  ({ chain }: Readonly<{ chain: string }>): CertificateFacts & { warning: string | null } => {
    const all = [...chain.matchAll(BLOCK)].map(([pem]) => new X509Certificate(pem));
    const [leaf, ...others] = all as [X509Certificate, ...X509Certificate[]];
    const facts = factsOf(leaf);
    const isAlone = others.length === 0 && !isSignedBy(leaf, leaf);
    const warning = isAlone
      ? `The chain has no intermediate certificate: devices that do not know ${facts.issuer || 'its issuer'} refuse it.`
      : null;
    return { ...facts, warning };
  },
);

/** Whether a certificate with these names is valid for a host: a wildcard stands for one label (RFC 6125). */
export const isValidFor = (names: readonly string[], host: string): boolean =>
  names.includes(host) || names.includes(host.replace(/^[^.]*/, '*'));
