/** The settings of this feature, and the failures that its routes answer with. */

export const settings = {
  OIDC_ISSUER: {
    default: null,
    meaning: 'sign-in service (OpenID Connect), by its issuer: an https:// address',
    roles: ['hub', 'all'],
  },
  OIDC_CLIENT_ID: {
    default: null,
    meaning: 'what that service calls this hub',
    roles: ['hub', 'all'],
  },
  OIDC_CLIENT_SECRET: {
    default: null,
    meaning: 'the secret of that client, unless it is a public one',
    roles: ['hub', 'all'],
    secret: true,
  },
  OIDC_NAME: {
    default: null,
    meaning: 'name of that service in the dashboard; none: its host',
    roles: ['hub', 'all'],
  },
} as const;

/** The HTTP status of each code, and its meaning in the documentation. */
export const failures = {
  TOTP_NOT_ENABLED: { status: 400, meaning: 'The account has no authenticator app.' },
  BACKUP_CODES_NOT_ENABLED: { status: 400, meaning: 'The account has no recovery codes.' },
  TWO_FACTOR_NOT_ENABLED: { status: 400, meaning: 'The account has no second factor.' },
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: {
    status: 400,
    meaning: 'After five wrong codes, a sign-in begins again with the password.',
  },
  CHALLENGE_NOT_FOUND: {
    status: 400,
    meaning: 'This browser has not begun to use a passkey within the last five minutes.',
  },
  FAILED_TO_VERIFY_REGISTRATION: { status: 400, meaning: 'The new passkey was not accepted.' },
  PREVIOUSLY_REGISTERED: { status: 400, meaning: 'The passkey is already in use.' },
  ACCOUNT_NOT_FOUND: { status: 400, meaning: 'No such account of a sign-in service is linked.' },
  FAILED_TO_UNLINK_LAST_ACCOUNT: {
    status: 400,
    meaning: 'An account without a password keeps the last one that is linked to it.',
  },
  INVALID_TWO_FACTOR_COOKIE: {
    status: 401,
    meaning: 'No sign-in of this browser waits for a code, or it is over ten minutes old.',
  },
  PROVIDER_NOT_FOUND: { status: 404, meaning: 'The hub has no such sign-in service.' },
  OIDC_UNREACHABLE: {
    status: 502,
    meaning: 'The sign-in service does not answer as it should; see the hub’s log.',
  },
} as const;
