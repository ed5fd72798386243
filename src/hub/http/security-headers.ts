/** The security headers of every response. Pure. */

/**
 * The dashboard loads only its own files: no inline script or style, no framing, nothing from
 * other origins (OWASP HTTP Headers Cheat Sheet). Icons in style sheets are `data:` images.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const EVERYWHERE = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`, which makes browsers send `Origin: null` from our own pages.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The headers of a response for `path`; API responses must not be cached. */
export const securityHeaders = (path: string): Record<string, string> =>
  path.startsWith('/api') ? { ...EVERYWHERE, 'Cache-Control': 'no-store' } : EVERYWHERE;
