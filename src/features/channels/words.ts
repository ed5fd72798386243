/** What this feature may find wrong, and the failures that its routes answer with. */

export const problems = {
  CHANNEL_FAILING: {
    of: 'others',
    follows: 'SIGN_IN_LOCKED',
    event: null,
    viewers: 'Messages do not reach a channel.',
    title: () => 'Messages are not delivered',
    page: { to: '/notifications', label: 'Notifications' },
  },
} as const;

/** The HTTP status of each code, and its meaning in the documentation. */
export const failures = {
  CHANNEL_FAILED: {
    status: 502,
    meaning: 'The channel did not accept the message; detail says why.',
  },
} as const;
