/** The settings of this feature. */

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
