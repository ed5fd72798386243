/** Password rules (OWASP ASVS 5.0, 6.2) and hashing, off the event loop and a few at a time. */
import { hash, verify } from '@node-rs/argon2';
import { Failure } from '../../../shared/failure.ts';
import { createQueue } from './concurrency-limit.ts';

/** ASVS 6.2.1 and 6.2.9: at least 8 characters, and long passphrases welcome. */
const SHORTEST = 8;
const LONGEST = 128;

/**
 * OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane.
 * `algorithm` 2 is argon2id (the package's enum is not usable with isolated modules).
 */
const ARGON2ID = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** At 19 MiB each. One takes about 40 ms, so whoever waits behind a full queue waits some 5 s. */
const AT_ONCE = 2;
const MOST_WAITING = 256;

let common: Promise<ReadonlySet<string>> | undefined;

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

export function createPasswords() {
  const inTurn = createQueue({ width: AT_ONCE, most: MOST_WAITING });
  const hashNow = (password: string) => hash(normalize(password), ARGON2ID);
  let decoy: Promise<string> | undefined;

  return {
    /** @throws Failure RATE_LIMITED where too many wait */
    hash: (password: string): Promise<string> => inTurn(() => hashNow(password)),

    /**
     * Takes as long where there is no account (`stored` null) as where the password is wrong.
     * @param begin called when its turn has come; what it throws is thrown
     * @throws Failure RATE_LIMITED where too many wait
     */
    matches: (
      stored: string | null,
      password: string,
      begin: () => void = () => {},
    ): Promise<boolean> =>
      inTurn(async () => {
        begin();
        decoy ??= hashNow(crypto.randomUUID());
        const other = await decoy;
        const matches = await verify(stored ?? other, normalize(password));
        return matches && stored !== null;
      }),
  };
}

/** Whether a stored hash was made with less than is asked for today. */
export function isWeak(stored: string): boolean {
  const [, m = 0, t = 0] = (/\$m=(\d+),t=(\d+),/.exec(stored) ?? []).map(Number);
  const { memoryCost, timeCost } = ARGON2ID;
  return !stored.startsWith('$argon2id$') || m < memoryCost || t < timeCost;
}

/** Half a megabyte that is needed at sign-up alone, so it is not read at start. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((word) => word.length >= SHORTEST));
}
