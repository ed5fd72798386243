/** The word that only whoever started the hub can know; needed for the first account. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isSame } from '../secret.ts';

export type SetupCode = ReturnType<typeof createSetupCode>;

/** 120 bits, as characters that can be typed. */
const BYTES = 15;

/** @param file where the code is kept, readable by its owner alone */
export function createSetupCode(file: string) {
  return {
    /** Makes one where there is none. @throws file system errors */
    read(): string {
      if (!existsSync(file)) {
        writeFileSync(file, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600 });
      }
      return readFileSync(file, 'utf8').trim();
    },

    is(given: string | undefined): boolean {
      return given !== undefined && isSame(given.trim(), this.read());
    },

    forget: (): void => rmSync(file, { force: true }),
  };
}
