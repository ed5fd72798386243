/** What this feature refuses. */

/** The HTTP status of each code, and its meaning in the documentation. */
export const failures = {
  NOT_RESTORABLE: {
    status: 409,
    meaning:
      'Something of that moment cannot be brought back; detail names it. Repeat with partial=true to leave it as it is.',
  },
} as const;
