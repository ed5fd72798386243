/** Reports failed sign-ins to the log and the metrics. */
import { Failure, type FailureCode } from '../../../shared/failure.ts';

export type SignInFailure = 'credentials' | 'code' | 'rate_limited';

const REASONS: Partial<Record<FailureCode, SignInFailure>> = {
  INVALID_EMAIL_OR_PASSWORD: 'credentials',
  PASSKEY_NOT_FOUND: 'credentials',
  AUTHENTICATION_FAILED: 'credentials',
  INVALID_CODE: 'code',
  INVALID_BACKUP_CODE: 'code',
  ACCOUNT_TEMPORARILY_LOCKED: 'rate_limited',
  RATE_LIMITED: 'rate_limited',
};

/** The same way to sign in; `failed` learns the reason and the client's address, never the account. */
export function countFailures<Input, From extends { ip: string }, Result>(
  signIn: (input: Input, client: From) => Promise<Result>,
  failed: (reason: SignInFailure, ip: string) => void,
): typeof signIn {
  return async (input, client) => {
    try {
      return await signIn(input, client);
    } catch (error) {
      const reason = error instanceof Failure ? REASONS[error.code] : undefined;
      if (reason) failed(reason, client.ip);
      throw error;
    }
  };
}
