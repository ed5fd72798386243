/** The setup code: proves that whoever creates the first account is the person who started the hub. */
import { rmSync, statSync } from 'node:fs';
import { isSame } from '../../../shared/bearer.ts';
import { keepSecret } from '../../../shared/system/files.ts';

/** Every function throws file system errors. */
export type SetupCode = {
  /** The code, made on the first call. */
  read(): string;
  matches(given: string | undefined): boolean;
  forget(): void;
  /** Whether the code was made within the last 15 minutes. A restart makes no new one. */
  isFresh(now: Date): boolean;
};

/** 120 bits, as 20 characters that can be typed. */
const BYTES = 15;
const LENGTH = 20;

/** Long enough to create the owner after the first start; a hub that is left alone then closes. */
const FRESH_MS = 15 * 60 * 1000;

/**
 * @param file where the code is kept, readable only by its owner
 * @param onReplaced as of `keepSecret`
 */
export function createSetupCode(file: string, onReplaced: (file: string) => void): SetupCode {
  let code: string | null = null;
  function read(): string {
    code ??= keepSecret({ file, bytes: BYTES, shortest: LENGTH, onReplaced });
    return code;
  }
  return {
    read,
    matches: (given) => given !== undefined && isSame(given.trim(), read()),
    forget() {
      code = null;
      rmSync(file, { force: true });
    },
    isFresh(now) {
      const made = statSync(file, { throwIfNoEntry: false });
      // A clock that was set back does not make an old code fresh.
      return made !== undefined && Math.abs(now.getTime() - made.mtimeMs) < FRESH_MS;
    },
  };
}
