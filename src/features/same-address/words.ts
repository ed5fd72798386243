/** What this feature may find wrong. */

export const problems = {
  SAME_ADDRESS: {
    of: 'others',
    event: null,
    isSeveral: true,
    viewers: 'All visitors seem to have the same address.',
    title: () => 'All visitors seem to have one address',
    page: { to: '/preamble', label: 'Caddy options' },
  },
} as const;
