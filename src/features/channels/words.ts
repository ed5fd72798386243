/** What this feature may find wrong. */

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
