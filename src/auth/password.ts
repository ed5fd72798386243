/** Password rules (OWASP ASVS 5.0, 6.2) and hashing, off the event loop. */
import { hash, verify } from '@node-rs/argon2';
import { Failure } from '../../agent/failure.ts';

/** ASVS 6.2.1 and 6.2.9: at least 8 characters, and long passphrases welcome. */
const SHORTEST = 8;
const LONGEST = 128;

/**
 * OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane.
 * `algorithm` 2 is argon2id (the package's enum is not usable with isolated modules).
 */
const ARGON2ID = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

let common: Promise<ReadonlySet<string>> | undefined;
let decoy: Promise<string> | undefined;

/** The same characters typed on another keyboard may arrive composed otherwise (NIST SP 800-63B). */
const normalize = (password: string) => password.normalize('NFKC');

/** @throws Failure PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON */
export async function checkPassword(password: string): Promise<void> {
  const normal = normalize(password);
  const length = [...normal].length;
  if (length < SHORTEST) {
    throw new Failure('PASSWORD_TOO_SHORT', `A password has at least ${SHORTEST} characters.`);
  }
  if (length > LONGEST) {
    throw new Failure('PASSWORD_TOO_LONG', `A password has at most ${LONGEST} characters.`);
  }
  common ??= loadCommon();
  if ((await common).has(normal.toLowerCase())) {
    throw new Failure(
      'PASSWORD_TOO_COMMON',
      'This password is one of the most used; choose another.',
    );
  }
}

export const hashPassword = (password: string): Promise<string> =>
  hash(normalize(password), ARGON2ID);

/** Takes as long where there is no account (`stored` null) as where the password is wrong. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID());
  const matches = await verify(stored ?? (await decoy), normalize(password));
  return matches && stored !== null;
}

/** Half a megabyte that is needed at sign-up alone, so it is not read at start. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= SHORTEST));
}
