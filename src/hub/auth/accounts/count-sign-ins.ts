/** Reports failed sign-ins to the log and the metrics. */
import { Failure } from '../../../shared/failure.ts';
import type { Accounts } from './accounts.ts';

const REASONS = {
  INVALID_EMAIL_OR_PASSWORD: 'credentials',
  RATE_LIMITED: 'rate_limited',
} as const;

export type SignInFailure = (typeof REASONS)[keyof typeof REASONS];

/** The same accounts; `failed` learns the reason and the client's address, never the account. */
export function countSignIns(
  accounts: Accounts,
  failed: (reason: SignInFailure, ip: string) => void,
): Accounts {
  return {
    ...accounts,
    async signIn(input, client) {
      try {
        return await accounts.signIn(input, client);
      } catch (error) {
        if (error instanceof Failure && error.code in REASONS) {
          failed(REASONS[error.code as keyof typeof REASONS], client.ip);
        }
        throw error;
      }
    },
  };
}
