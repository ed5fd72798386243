/** The one-time secret of an invitation: for ten minutes, one use and a few wrong tries. */
import { randomBytes } from 'node:crypto';
import { FAILURES, Failure } from '../../src/shared/failure.ts';
import { isAmong, tokenHash } from '../bearer.ts';

export type OpenInvitation = {
  /** 32 random bytes as base64url; only its hash is kept. */
  secret: string;
  /**
   * Runs `use` if the secret is right, and closes the invitation unless that fails.
   * @throws Failure INVITATION_INVALID, the same for every reason; whatever `use` throws
   */
  redeem<T>(secret: string, use: () => Promise<T>): Promise<T>;
};

const LIFETIME_MS = 10 * 60_000;
const MOST_WRONG = 5;
/** 256 bits. */
const SECRET_BYTES = 32;

/**
 * @param elapsed milliseconds on a clock that nobody sets
 * @param closed called once nobody can use it any more because of wrong tries
 */
export function createOpenInvitation(elapsed: () => number, closed: () => void): OpenInvitation {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const wanted = tokenHash(secret);
  const until = elapsed() + LIFETIME_MS;
  let state: 'open' | 'in use' | 'closed' = 'open';
  let wrong = 0;

  function refuse(isRight: boolean): void {
    if (isRight || state === 'closed' || ++wrong < MOST_WRONG) return;
    state = 'closed';
    closed();
  }

  return {
    secret,
    async redeem(given, use) {
      // Compared even if it is closed, so that the time says nothing.
      const isRight = isAmong(tokenHash(given), [wanted]);
      if (!isRight || state !== 'open' || elapsed() >= until) {
        refuse(isRight);
        throw invalid();
      }
      state = 'in use';
      try {
        const result = await use();
        state = 'closed';
        return result;
      } catch (error) {
        // Wrong tries may have closed it meanwhile.
        if (wrong < MOST_WRONG) state = 'open';
        throw error;
      }
    },
  };
}

export const invalid = () => new Failure('INVITATION_INVALID', FAILURES.INVITATION_INVALID.meaning);
