/** Password rules (OWASP ASVS 5.0, 6.2) and hashing, off the event loop and a few at a time. */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createConcurrencyLimit } from '../../../shared/async.ts';
import { Failure } from '../../../shared/failure.ts';
import { loadOnce } from '../../../shared/memoize.ts';
import { rateLimited } from '../../../shared/throttle.ts';

/** Stored of an account that has none, because it signs in with a service. */
export const NO_PASSWORD = '';

export type Passwords = {
  /** @throws Failure RATE_LIMITED if too many wait */
  hash(password: string): Promise<string>;
  /**
   * Takes as long for a missing account (`stored` null) or password as for a wrong password.
   * @param begin called when its turn comes; what it throws is thrown
   * @throws Failure RATE_LIMITED if too many wait
   */
  matches(stored: string | null, password: string, begin?: () => void): Promise<boolean>;
};

/** ASVS 6.2.1 and 6.2.9: at least 8 characters, and long passphrases are welcome. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

/**
 * OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane.
 * `algorithm` 2 is argon2id (the package's enum does not work with isolated modules).
 */
const ARGON2ID = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** At 19 MiB each. A hash takes about 40 ms, so the last of a full queue waits about 5 s. */
const CONCURRENCY = 2;
const MAX_WAITING = 256;
/** When the queue is full: about the time it takes to empty. */
const RETRY_AFTER_SECONDS = 10;

/** Another keyboard may compose the same characters differently (NIST SP 800-63B). */
const normalize = (password: string) => password.normalize('NFKC');

/** @param field which the refusal names @throws Failure PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON */
export async function checkPassword(
  password: string,
  field: 'password' | 'newPassword' = 'password',
): Promise<void> {
  const normal = normalize(password);
  const length = [...normal].length;
  if (length < MIN_LENGTH) {
    throw refused(field, 'SHORT', `A password must have at least ${MIN_LENGTH} characters.`);
  }
  if (length > MAX_LENGTH) {
    throw refused(field, 'LONG', `A password can have at most ${MAX_LENGTH} characters.`);
  }
  if (!normal.includes('\n') && (await common()).includes(`\n${normal.toLowerCase()}\n`)) {
    throw refused(field, 'COMMON', 'This password is too common. Choose another.');
  }
}

const refused = (field: string, why: 'SHORT' | 'LONG' | 'COMMON', message: string) =>
  new Failure(`PASSWORD_TOO_${why}`, message, { at: { field } });

export function createPasswords(): Passwords {
  const limited = createConcurrencyLimit({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    full: () => rateLimited(RETRY_AFTER_SECONDS),
  });
  const hashNow = (password: string) => hash(normalize(password), ARGON2ID);
  let decoy: Promise<string> | undefined;

  return {
    hash: (password) => limited(() => hashNow(password)),

    matches: (stored, password, begin = () => {}) =>
      limited(async () => {
        begin();
        decoy ??= hashNow(crypto.randomUUID());
        const other = await decoy;
        const matches = await verify(stored || other, normalize(password));
        return matches && Boolean(stored);
      }),
  };
}

/** Whether a stored hash was made with weaker parameters than today's. */
export function isWeak(stored: string): boolean {
  const [, m = 0, t = 0] = (/\$m=(\d+),t=(\d+),/.exec(stored) ?? []).map(Number);
  const { memoryCost, timeCost } = ARGON2ID;
  return !stored.startsWith('$argon2id$') || m < memoryCost || t < timeCost;
}

/**
 * Common passwords, a line each. Only sign-up needs them, so they are not loaded at start-up; as one text, they
 * take a tenth of the memory.
 */
const common = loadOnce(async (): Promise<string> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const words = dictionary['passwords-common'].filter((word) => word.length >= MIN_LENGTH);
  // The package would keep its 40,000 texts for as long as the program runs.
  for (const list of Object.values(dictionary)) list.length = 0;
  return `\n${words.join('\n')}\n`;
});

/** The dictionary, and the package that it imports. */
const PACKAGES = ['@zxcvbn-ts/language-common', '@zxcvbn-ts/dictionary-compression/decompress'];
try {
  // Looked up now: if Bun does not find a package while too many files are open, it never will.
  for (const name of PACKAGES) import.meta.resolve(name);
} catch {
  // Not in the binary, which has the packages inside.
}

/** 144 bits. */
const GENERATED_BYTES = 18;

export const generatePassword = (): string => randomBytes(GENERATED_BYTES).toString('base64url');
