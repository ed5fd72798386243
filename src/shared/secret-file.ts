/** Secrets that the program makes for itself, in files that only their owner can read. */
import { randomBytes } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { readIfThere, writeDurably } from './files.ts';

type KeptSecret = {
  file: string;
  /** How many bytes of a new one are random. */
  bytes: number;
  /** How many characters one that is kept must have. */
  shortest: number;
  /** Gets the path of a file whose secret was replaced: a crash or a full disk had damaged it. */
  onReplaced: (file: string) => void;
};

/** Writes a new secret to a file. @param bytes how many are random @throws file system errors */
export function newSecret(file: string, bytes: number): string {
  const secret = randomBytes(bytes).toString('base64url');
  writeDurably(file, `${secret}\n`, 0o600);
  return secret;
}

/**
 * The secret in a file; a new one if there is no file, or if what it holds is too short or not
 * printable. A file that is replaced keeps its time: a crash does not make an old secret fresh.
 * @throws file system errors
 */
export function keepSecret({ file, bytes, shortest, onReplaced }: KeptSecret): string {
  const found = readIfThere(file)?.trim();
  if (found === undefined) return newSecret(file, bytes);
  if (found.length >= shortest && /^[\x21-\x7e]+$/.test(found)) return found;
  const { atime, mtime } = statSync(file);
  const secret = newSecret(file, bytes);
  utimesSync(file, atime, mtime);
  onReplaced(file);
  return secret;
}
