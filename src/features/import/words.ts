/** The failures that an import answers with. */

/** The HTTP status of each code, and its meaning in the documentation. */
export const failures = {
  PREAMBLE_DIFFERS: {
    status: 409,
    meaning: 'The preamble has other options or snippets than the imported file.',
  },
  IMPORT_DIFFERS: {
    status: 422,
    meaning: 'After the import, the proxy would behave differently.',
  },
} as const;
