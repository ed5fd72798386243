/** Codes of an authenticator app (TOTP, RFC 6238), and recovery codes. Pure. */
import { randomBytes } from 'node:crypto';
import { hashOf } from '../../../shared/bearer.ts';
import { loadOnce } from '../../../shared/memoize.ts';

export type Totp = {
  /** In base32. */
  makeSecret(): string;
  /** What an app reads, as text or from a QR code. @param of whose, and for what */
  uriOf(secret: string, of: { issuer: string; label: string }): string;
  /** The time step whose code this is, if that is the current one or beside it; else null. */
  stepOf(secret: string, code: string, at: Date): number | null;
};

const PERIOD_MS = 30_000;
/** Steps before and after the current one: clocks differ (RFC 6238 5.2). */
const WINDOW = 1;
const ISSUER = 'signalbox';

export const currentStep = (at: Date): number => Math.floor(at.getTime() / PERIOD_MS);

/** Only accounts with a second factor need it, so it is not loaded at start-up. */
export const loadTotp = loadOnce(async (): Promise<Totp> => {
  const { Secret, TOTP } = await import('otpauth');
  return {
    makeSecret: () => new Secret({ size: 20 }).base32,
    uriOf: (secret, { issuer, label }) =>
      new TOTP({ secret, label, issuer: issuer.trim() || ISSUER }).toString(),
    stepOf(secret, code, at) {
      const token = code.replace(/\s/g, '');
      const by = new TOTP({ secret }).validate({ token, timestamp: at.getTime(), window: WINDOW });
      return by === null ? null : currentStep(at) + by;
    },
  };
});

/** Crockford's base32: without letters that look like others. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RECOVERY_CODES = 10;
/** 80 bits, so that a fast hash is enough. */
const LENGTH = 16;

const makeRecoveryCode = (): string =>
  [...randomBytes(LENGTH)]
    .map((byte, index) => (index % 4 === 0 && index > 0 ? '-' : '') + ALPHABET[byte % 32])
    .join('');

export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, makeRecoveryCode);

/** What is stored of a recovery code, however it was written down. */
export function hashOfRecoveryCode(code: string): string {
  const read = code.toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1');
  return hashOf(read.replace(/[^0-9a-z]/g, ''));
}

/** Which kind of code this is, by its form. */
export const methodOf = (code: string): 'totp' | 'recovery' =>
  /^\d{6}$/.test(code.replace(/\s/g, '')) ? 'totp' : 'recovery';
