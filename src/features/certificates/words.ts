/** The settings of this feature, what it may find wrong, and the failures that its routes answer with. */

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

/** The HTTP status of each code, and its meaning in the documentation. */
export const failures = {
  CERTIFICATE_FAILED: {
    status: 502,
    meaning:
      'lego did not get the certificate; detail has the words of the certificate authority or the DNS provider.',
  },
} as const;
