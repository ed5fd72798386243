/** The setup code: proves that whoever creates the first account is the person who started the hub. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isSame } from '../secret.ts';

/** Every function throws file system errors. */
export type SetupCode = {
  /** The code, made on the first call. */
  read(): string;
  matches(given: string | undefined): boolean;
  forget(): void;
  /** Whether the code was made within the last 15 minutes. A restart makes no new one. */
  isFresh(now: Date): boolean;
};

/** 120 bits, as characters that can be typed. */
const BYTES = 15;

/** Long enough to create the owner after the first start; a hub that is left alone then closes. */
const FRESH_MS = 15 * 60 * 1000;

/** @param file where the code is kept, readable only by its owner */
export function createSetupCode(file: string): SetupCode {
  function read(): string {
    if (!existsSync(file)) {
      writeFileSync(file, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600 });
    }
    return readFileSync(file, 'utf8').trim();
  }
  return {
    read,
    matches: (given) => given !== undefined && isSame(given.trim(), read()),
    forget: () => rmSync(file, { force: true }),
    isFresh(now) {
      const made = statSync(file, { throwIfNoEntry: false });
      // A clock that was set back does not make an old code fresh.
      return made !== undefined && Math.abs(now.getTime() - made.mtimeMs) < FRESH_MS;
    },
  };
}
