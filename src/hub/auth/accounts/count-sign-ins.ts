/** Tells of refused sign-ins, for the log and for the numbers. */
import { Failure } from '../../../shared/failure.ts';
import type { Accounts } from './accounts.ts';

const REASONS = {
  INVALID_EMAIL_OR_PASSWORD: 'credentials',
  RATE_LIMITED: 'rate_limited',
} as const;

type Reason = (typeof REASONS)[keyof typeof REASONS];

/** The same accounts; `failed` hears why and from which address, never for whom. */
export function countSignIns(
  accounts: Accounts,
  failed: (reason: Reason, ip: string) => void,
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
