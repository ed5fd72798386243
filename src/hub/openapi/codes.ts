/** What each error code means, for people who read the document. Pure. */
import type { FailureCode } from '../../shared/failure.ts';

/** One sentence for each; a code without one does not compile. */
export const MEANING: Readonly<Record<FailureCode, string>> = {
  INVALID_JSON: 'The body is not valid JSON.',
  INVALID_REQUEST:
    'A field, a parameter or the Host header is missing or not of the expected form.',
  VALIDATION_ERROR: 'A field is missing or not of the expected form.',
  INVALID_EMAIL: 'The e-mail address is not valid.',
  INVALID_PASSWORD: 'The current password is not right.',
  PASSWORD_TOO_SHORT: 'A password has at least 8 characters.',
  PASSWORD_TOO_LONG: 'A password has at most 128 characters.',
  PASSWORD_TOO_COMMON: 'The password is one of the most used ones.',
  UNAUTHENTICATED: 'There is no session or token, or it is no longer good.',
  INVALID_EMAIL_OR_PASSWORD: 'E-mail address or password is not right.',
  FORBIDDEN: 'The API token may not do this: it may read only, or this needs a session.',
  FORBIDDEN_ORIGIN: 'The request comes from another page, or names a host that is not the hub’s.',
  SIGN_UP_CLOSED: 'New accounts are not open to the public here.',
  SETUP_CODE_REQUIRED: 'The first account needs the setup code that the start-up printed.',
  NOT_FOUND: 'There is nothing of this id.',
  BODY_TOO_SLOW: 'The body took too long to arrive.',
  DOMAIN_TAKEN: 'Another vhost has this domain already.',
  LAST_USER: 'The last account cannot be deleted.',
  STALE: 'Another configuration is live than the one this replaces.',
  IMPORT_FIRST:
    'The proxy serves sites of somebody else: import them, or repeat with replace=true.',
  REVERT_CONFLICT: 'Later changes stand in the way of taking this one back.',
  NOT_EMPTY: 'There are vhosts already: repeat with replace=true.',
  PRECONDITION_FAILED: 'It has been changed since the state that If-Match names.',
  IMPORT_DIFFERS: 'What was imported would not mean the same to the proxy.',
  BODY_TOO_LARGE: 'The body is larger than this route takes.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'There is an account with this e-mail address.',
  RATE_LIMITED: 'Too many attempts; Retry-After tells when to try again.',
  INTERNAL: 'Something went wrong on our side.',
  PROXY_REJECTED: 'The proxy does not take this configuration; nothing was changed.',
  PROXY_UNREACHABLE: 'The proxy does not answer; nothing was changed.',
  AGENT_UNREACHABLE: 'The agent does not answer; nothing was recorded.',
  STORAGE_UNAVAILABLE: 'The disk is full or cannot be written to; nothing was changed.',
};
