/** Asking for the second factor: at sign-in, and of somebody who has a session. */
import { eq } from 'drizzle-orm';
import { createSeldom } from '../../../hub/auth/accounts/attempt-limits.ts';
import type { BeginSecondHalf } from '../../../hub/auth/beside-passwords.ts';
import { networkOf } from '../../../hub/auth/client.ts';
import { type Actor, recordSecurity, type SecurityEvent } from '../../../hub/auth/security-log.ts';
import {
  type Client,
  createSessions,
  type Person,
  type SignedIn,
  USER,
  type Visitor,
} from '../../../hub/auth/sessions/sessions.ts';
import type { HubCore } from '../../../hub/core.ts';
import { users } from '../../../hub/db/accounts-schema.ts';
import { inTransaction } from '../../../hub/db/open.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Challenges } from '../challenges.ts';
import { currentStep, hashOfRecoveryCode, loadTotp, methodOf, type Totp } from './codes.ts';
import { createFactors, type Factor, notEnabled } from './factors.ts';

export type Attempt = { method: 'totp' | 'recovery'; code: string };

export type SecondFactor = {
  begin: BeginSecondHalf;
  /**
   * Completes a sign-in.
   * @param client `previous`: the token of a session to end
   * @throws Failure INVALID_TWO_FACTOR_COOKIE, INVALID_CODE, INVALID_BACKUP_CODE, RATE_LIMITED,
   * TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE, ACCOUNT_TEMPORARILY_LOCKED, SECRET_KEY_UNUSABLE
   */
  signIn(
    attempt: Attempt & { challenge: string | null },
    client: Client & { previous: string | null },
  ): Promise<SignedIn>;
  /**
   * Accepts a code of somebody who has a session; the first one of an app turns the factor on, and ends
   * the account's other sessions.
   * @throws Failure TOTP_NOT_ENABLED, BACKUP_CODES_NOT_ENABLED, and as `signIn`
   */
  verify(who: Visitor, attempt: Attempt): Promise<void>;
  /** The same for a code of either kind. @throws Failure as `verify` */
  prove(who: Person, code: string): Promise<void>;
};

/** Wrong codes of one challenge. */
const TRIES = 5;
/** Wrong codes in a row, of all challenges (NIST SP 800-63B 5.2.2 allows a hundred). */
const MOST_FAILURES = 10;
const LOCK_MS = 15 * 60 * 1000;

export function createSecondFactor(core: HubCore, challenges: Challenges): SecondFactor {
  const { db, now, limits } = core;
  const factors = createFactors(core);
  const sessions = createSessions(core);
  const isFirst = createSeldom(core.elapsed);

  const { find, change, open: openSecret } = factors;

  /** Milliseconds for which no code is accepted. */
  function lockedFor({ lockedUntil }: Factor): number {
    const left = (lockedUntil?.getTime() ?? 0) - now().getTime();
    // Longer, if the clock was ahead when it was locked.
    return left <= LOCK_MS ? left : 0;
  }

  /** Accepts a code, once. In a transaction. */
  function accept(factor: Factor, { method, code }: Attempt, totp: Totp): boolean {
    const begun = { failures: 0, lockedUntil: null };
    if (method === 'recovery') {
      const used = hashOfRecoveryCode(code);
      if (!factor.codes.includes(used)) return false;
      change(factor, { ...begun, codes: factor.codes.filter((one) => one !== used) });
      return true;
    }
    const at = now();
    const step = totp.stepOf(openSecret(factor), code, at);
    // A later step than now's is from when the clock was ahead.
    const last = factor.lastStep > currentStep(at) + 1 ? 0 : factor.lastStep;
    if (step === null || step <= last) return false;
    change(factor, { ...begun, lastStep: step });
    return true;
  }

  /**
   * Accepts a code, or counts a wrong one. In a transaction.
   * @param tries how many there were already
   * @returns why it is refused
   */
  function check(
    factor: Factor,
    attempt: Attempt,
    { totp, client, tries = 0 }: { totp: Totp; client: Client; tries?: number },
  ): Failure | null {
    const left = lockedFor(factor);
    if (left > 0) return locked(Math.ceil(left / 1000));
    if (tries >= TRIES) return tooMany();
    if (accept(factor, attempt, totp)) return null;
    limits.takeAddress(client.ip);
    const failures = factor.lockedUntil ? 1 : factor.failures + 1;
    const isLast = failures >= MOST_FAILURES;
    change(factor, { failures, lockedUntil: isLast ? new Date(now().getTime() + LOCK_MS) : null });
    return wrong(attempt);
  }

  /** Runs `work` in a transaction that a refusal does not roll back: it counts, and is recorded. */
  function decide<T>(work: () => T | Failure): T {
    const decided = inTransaction(db, work);
    if (decided instanceof Failure) throw decided;
    return decided;
  }

  const outcomeOf = ({ code }: Failure) =>
    code === 'ACCOUNT_TEMPORARILY_LOCKED' ? ('locked' as const) : ('refused' as const);

  function recordRefusal(refusal: Failure, who: Actor, event: SecurityEvent): void {
    const outcome = outcomeOf(refusal);
    // Nobody fills the log with what is refused anyway.
    if (outcome === 'locked' && !isFirst(`${who.user.id} ${networkOf(who.client.ip)}`)) return;
    recordSecurity(db, now(), who, { ...event, outcome });
  }

  function turnOn(who: Visitor, pending: Factor, lastStep: number): void {
    const { user, session } = who;
    factors.remove(user.id, true);
    change(pending, { verified: true, lastStep });
    sessions.endOthers(user.id, session.id);
    factors.record(who, 'totp enabled');
  }

  async function verify(who: Visitor, attempt: Attempt): Promise<void> {
    const totp = await loadTotp();
    limits.checkAddress(who.client.ip);
    decide(() => {
      const pending = attempt.method === 'totp' ? find(who.user.id, false) : undefined;
      const first = pending && totp.stepOf(openSecret(pending), attempt.code, now());
      if (pending && typeof first === 'number') return turnOn(who, pending, first);
      const factor = find(who.user.id, true);
      if (!factor && !pending) return notEnabled(attempt.method);
      if (!factor) {
        limits.takeAddress(who.client.ip);
        return wrong(attempt);
      }
      const refusal = check(factor, attempt, { totp, client: who.client });
      if (!refusal) return undefined;
      recordRefusal(refusal, who, { kind: 'refusal', detail: attempt.method });
      return refusal;
    });
  }

  return {
    verify,
    prove: (who, code) => verify(who, { method: methodOf(code), code }),

    begin(user, client, method) {
      const factor = find(user.id, true);
      if (!factor) return null;
      // Without the key no code can be right, which has to be said now.
      openSecret(factor);
      const data = { since: user.updatedAt.getTime() };
      return inTransaction(db, () => {
        const event = { kind: 'sign-in', target: user.email, detail: method } as const;
        recordSecurity(db, now(), { user, via: null, client }, { ...event, outcome: 'half' });
        return challenges.begin('two_factor', { userId: user.id, data });
      });
    },

    async signIn({ challenge: id, ...attempt }, client) {
      const totp = await loadTotp();
      limits.checkAddress(client.ip);
      return decide((): SignedIn | Failure => {
        const challenge = challenges.find('two_factor', id);
        const byId = eq(users.id, challenge?.userId ?? '');
        const user = db.select(USER).from(users).where(byId).get();
        const factor = user && find(user.id, true);
        // A new password or role ends what began with the old one.
        const isCurrent = challenge?.data.since === user?.updatedAt.getTime();
        if (id === null || !challenge || !factor || !isCurrent) return invalidCookie();
        const actor = { user, via: null, client };
        const event = { kind: 'sign-in', target: user.email, detail: attempt.method } as const;
        const refusal = check(factor, attempt, { totp, client, tries: challenge.failures });
        if (refusal) {
          if (refusal.code === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
            challenges.take('two_factor', id);
          else if (outcomeOf(refusal) === 'refused') challenges.fail(id);
          recordRefusal(refusal, actor, event);
          return refusal;
        }
        challenges.take('two_factor', id);
        sessions.end(client.previous);
        recordSecurity(db, now(), actor, event);
        return { user, session: sessions.start(user.id, client) };
      });
    },
  };
}

const wrong = ({ method }: Pick<Attempt, 'method'>) =>
  method === 'totp'
    ? new Failure('INVALID_CODE', 'The code is wrong, or was used before.', AT_CODE)
    : new Failure('INVALID_BACKUP_CODE', 'The recovery code is wrong, or was used.', AT_CODE);
const AT_CODE = { at: { field: 'code' } };

const invalidCookie = () =>
  new Failure('INVALID_TWO_FACTOR_COOKIE', 'This sign-in has expired: enter the password again.');

const tooMany = () =>
  new Failure(
    'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
    'Too many wrong codes: enter the password again.',
  );

const locked = (retryAfter: number) =>
  new Failure(
    'ACCOUNT_TEMPORARILY_LOCKED',
    'Too many wrong codes: this account accepts none for now. A passkey still works.',
    { retryAfter },
  );
