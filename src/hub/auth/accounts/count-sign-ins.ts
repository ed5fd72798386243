/** Reports failed sign-ins to the log and the metrics. */
import { Failure, type FailureCode } from '../../../shared/failure.ts';
import { oneLine } from '../../../shared/one-line.ts';

export type SignInFailure = 'credentials' | 'code' | 'oidc' | 'rate_limited';

/** Learns the reason, the client's address and the email address that was given. */
export type SignInFailed = (reason: SignInFailure, ip: string, account: string) => void;

const REASONS: Partial<Record<FailureCode, SignInFailure>> = {
  INVALID_EMAIL_OR_PASSWORD: 'credentials',
  PASSKEY_NOT_FOUND: 'credentials',
  AUTHENTICATION_FAILED: 'credentials',
  INVALID_CODE: 'code',
  INVALID_BACKUP_CODE: 'code',
  ACCOUNT_TEMPORARILY_LOCKED: 'rate_limited',
  RATE_LIMITED: 'rate_limited',
};

/** An email address has no more. */
const LONGEST = 254;

/**
 * The same way to sign in.
 * @param accountOf the email address that an input is about, as it was given
 */
export function countFailures<Input, From extends { ip: string }, Result>(
  signIn: (input: Input, client: From) => Promise<Result>,
  accountOf: (input: Input) => string,
  failed: SignInFailed,
): typeof signIn {
  return async (input, client) => {
    const account = oneLine(accountOf(input)).slice(0, LONGEST);
    try {
      return await signIn(input, client);
    } catch (error) {
      const reason = error instanceof Failure ? REASONS[error.code] : undefined;
      if (reason) failed(reason, client.ip, account);
      throw error;
    }
  };
}
