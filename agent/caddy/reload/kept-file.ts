/**
 * The certificates that the hub keeps and this machine needs, beside the Caddyfile, for a start without the
 * hub. The keys are here and in the memory of Caddy, nowhere else on this machine.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  digestOfChain,
  keptDigests,
  keptIn,
  type NamedKept,
} from '../../../src/shared/caddyfile/kept-certificates.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { readIfThere, syncPath, writeDurably } from '../../../src/shared/system/files.ts';
import type { KeptCertificate } from '../../../src/shared/wire/proxy.ts';
import type { Warnings } from '../../warnings.ts';
import type { Kept } from '../config/kept.ts';

export type KeptFile = {
  /** Whether the file has all certificates that a text names. */
  hasAll(text: string): boolean;
  /**
   * What a text names, in its order.
   * @param given by the hub; what the text does not name is ignored
   * @returns `missing`: what is neither given nor in the file
   * @throws Failure INVALID_REQUEST if one that is given cannot be used
   */
  collect(
    text: string,
    given?: readonly KeptCertificate[],
  ): { found: Kept[]; missing: NamedKept[] };
  /** Says in the status that Caddy serves without these, or without none. */
  warnOf(missing: readonly NamedKept[]): void;
  /**
   * Adds certificates to the file, whole and durably, unless it has them.
   * @returns removes them again, as far as it can
   * @throws file system errors
   */
  add(certificates: readonly Kept[]): () => void;
  /** Removes from the file what a text does not name, as far as it can. */
  prune(text: string): void;
};

/** The path of that file, and of what it is while it is written. @param proxyfile the path of the Caddyfile */
export const keptFilesOf = (proxyfile: string): [string, string] => [
  `${proxyfile}.certificates`,
  `${proxyfile}.certificates.part`,
];

export function createKeptFile(proxyfile: string, warnings: Pick<Warnings, 'set'>): KeptFile {
  const [file, part] = keptFilesOf(proxyfile);
  // Left by a crash, with keys in it.
  tryTo(() => rmSync(part, { force: true }));
  let known: { state: string; byDigest: ReadonlyMap<string, Kept>; isDamaged: boolean } | null =
    null;

  /** Read again only if it is another one. */
  function read() {
    const state = stateOf(file);
    if (known?.state === state) return known;
    let [byDigest, isDamaged] = [new Map<string, Kept>(), false];
    try {
      const entries = JSON.parse(readIfThere(file) ?? '[]') as unknown[];
      const sound = entries.map(keptOf);
      byDigest = new Map(sound.flatMap((one) => (one === null ? [] : [[one.digest, one]])));
      isDamaged = byDigest.size < entries.length;
    } catch {
      isDamaged = true;
    }
    warnings.set('kept certificates file', isDamaged ? DAMAGED : null);
    known = { state, byDigest, isDamaged };
    return known;
  }

  function write(certificates: readonly Kept[]): void {
    known = null;
    if (certificates.length > 0) {
      const entries = certificates.map(({ chain, key }): KeptCertificate => ({ chain, key }));
      writeDurably(file, `${JSON.stringify(entries)}\n`, 0o600);
      return;
    }
    rmSync(file, { force: true });
    syncPath(dirname(file));
  }

  return {
    hasAll(text) {
      const named = keptIn(text);
      return named.length === 0 || named.every(({ digest }) => read().byDigest.has(digest));
    },

    collect(text, given = []) {
      const [found, missing]: [Kept[], NamedKept[]] = [[], []];
      const named = keptIn(text);
      if (named.length === 0) return { found, missing };
      const sent = new Map(given.map((one) => [digestOfChain(one.chain), one]));
      for (const one of named) {
        const certificate = sent.get(one.digest);
        const kept = certificate ? keptOf(certificate) : (read().byDigest.get(one.digest) ?? null);
        if (certificate && kept === null) {
          throw new Failure(
            'INVALID_REQUEST',
            `The key of the certificate ${one.name} is not its own; nothing was changed.`,
          );
        }
        if (kept === null) missing.push(one);
        else found.push(kept);
      }
      return { found, missing };
    },

    warnOf(missing) {
      const sentence = missing.length === 0 ? null : `${lacks(missing)}: ${UNTIL_THEN}`;
      warnings.set('kept certificates', sentence);
    },

    add(certificates) {
      const before = [...read().byDigest.values()];
      const known = new Set(before.map(({ digest }) => digest));
      const more = certificates.filter(({ digest }) => !known.has(digest));
      if (more.length === 0) return () => {};
      write([...before, ...more]);
      return () => tryTo(() => write(before));
    },

    prune(text) {
      tryTo(() => {
        const { byDigest, isDamaged } = read();
        const named = new Set(keptDigests(text));
        const needed = [...byDigest.values()].filter(({ digest }) => named.has(digest));
        if (isDamaged || needed.length < byDigest.size) write(needed);
      });
    },
  };
}

/** What is in the file too much does no harm, and the next publish tries again. */
function tryTo(change: () => void): void {
  try {
    change();
  } catch {
    // As said.
  }
}

/** @throws Failure INVALID_REQUEST if any is missing: no site is at fault, but who sent the text */
export function assertNone(missing: readonly NamedKept[]): void {
  if (missing.length === 0) return;
  throw new Failure(
    'INVALID_REQUEST',
    `${lacks(missing)}, and the hub did not send ${missing.length === 1 ? 'it' : 'them'}; nothing was changed.`,
  );
}

const lacks = (missing: readonly NamedKept[]): string =>
  `The agent lacks the ${missing.length === 1 ? 'certificate' : 'certificates'} ${missing.map(({ name }) => name).join(', ')}`;
const UNTIL_THEN = 'until the hub publishes again, Caddy serves the sites with others.';

const DAMAGED =
  'The file with the certificates that the hub keeps is damaged or cannot be read. The hub sends them again.';

/** Null unless the key is that of the certificate. */
function keptOf(entry: unknown): Kept | null {
  try {
    const { chain, key } = entry as KeptCertificate;
    const leaf = new X509Certificate(chain);
    if (!leaf.checkPrivateKey(createPrivateKey(key))) return null;
    const hasResponder = /^OCSP - URI/m.test(leaf.infoAccess ?? '');
    return { digest: digestOfChain(chain), names: namesOf(leaf), hasResponder, chain, key };
  } catch {
    return null;
  }
}

/** The host names that Caddy finds a certificate by. */
const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName
    .split(', ')
    .flatMap((one) => (one.startsWith('DNS:') ? one.slice('DNS:'.length).toLowerCase() : []));

/** What changes with a file; the same whenever there is none. */
function stateOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join() : '';
}
