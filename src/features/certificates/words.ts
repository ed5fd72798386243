/** The settings of this feature, and what it may find wrong. */

export const settings = {
  LEGO_BIN: {
    default: 'lego',
    meaning: 'the lego program, which gets certificates by DNS, a name or a path',
    roles: ['hub', 'all'],
  },
  ACME_DIRECTORY: {
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    meaning: 'certificate authority for these, by its directory: an https:// address',
    roles: ['hub', 'all'],
  },
  ACME_ROOTS_FILE: {
    default: null,
    meaning: 'root certificates of that authority, a PEM file; none: the machine’s',
    roles: ['hub', 'all'],
  },
} as const;

export const problems = {
  RENEWAL_FAILED: {
    of: 'sites',
    follows: 'CERTIFICATE_ENDING',
    event: 'certificate.failed',
    isSeveral: true,
    title: () => 'A kept certificate was not renewed',
    page: { to: '/certificates', label: 'Certificates' },
  },
} as const;
