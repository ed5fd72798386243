/** Which cause Caddy's words for a request that failed name for certain. Pure. */

/** What Go's and Caddy's libraries write, the same from 2.6.2 to 2.11; the first that fits counts. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^dial .*connection refused/, 'UPSTREAM_REFUSED'],
  [/^dial .*no such host/, 'UPSTREAM_NAME'],
  [/^dial .*i\/o timeout/, 'UPSTREAM_TIMEOUT'],
  [/first record does not look like a TLS handshake|gave HTTP response to HTTPS/, 'SPEAKS_PLAIN'],
  [/\bx509: /, 'UPSTREAM_UNTRUSTED'],
  // An alert of TLS (RFC 8446, 5.1), and the frame with settings that HTTP/2 begins with (RFC 9113, 6.5).
  [/malformed HTTP response "\\x15\\x03/, 'SPEAKS_TLS'],
  [/malformed HTTP response "\\x00\\x00(?:\\x..|.)\\x04/, 'SPEAKS_H2'],
  [/malformed HTTP/, 'NOT_HTTP'],
  [/timeout awaiting response headers/, 'HANGS'],
  [/request body too large/, 'TOO_LARGE'],
];

/** Null if several causes have these words: services close connections for many reasons. @param error as in Caddy's log */
export const causeOf = (error: string): string | null =>
  WORDS.find(([words]) => words.test(error))?.[1] ?? null;
