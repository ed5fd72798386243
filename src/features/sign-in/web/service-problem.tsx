/** Why a visit of the sign-in service led to nothing. */
import { Notice } from '../../../web/parts/notice.tsx';
import { SERVICE } from './service.ts';

const WORDS: Readonly<Partial<Record<string, string>>> = {
  state_mismatch: 'The sign-in took too long, or began in another browser. Try again.',
  access_denied: 'The sign-in was cancelled.',
  invalid_code: `${SERVICE} did not confirm the sign-in. Try again; the hub’s log says why.`,
  account_not_linked: `No account here is linked to yours at ${SERVICE}. Sign in another way and link it under “Account”, or ask an owner for an invitation.`,
  account_already_linked_to_different_user: `This account of ${SERVICE} signs in to another account here.`,
  unable_to_link_account: 'Your session ended before the account was linked. Try again.',
  invitation_invalid: 'This invitation is wrong, used or expired: ask for another one.',
  email_not_found: `${SERVICE} gave no email address. Ask for an invitation with your address.`,
  user_already_exists:
    'An account with your email address already exists. Sign in to it, and link this one there.',
  rate_limited: 'Too many attempts. Try again in 15 minutes.',
};

/** @param code as the hub gives it */
export const ServiceProblem = ({ code }: { code: string }) => (
  <Notice kind="error">{WORDS[code] ?? `Signing in failed (${code}).`}</Notice>
);
