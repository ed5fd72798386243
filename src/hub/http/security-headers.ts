/** What every answer tells a browser. Pure. */

/**
 * For a dashboard of our own files: no inline script or style, nobody's frame, nothing from
 * elsewhere (OWASP HTTP Headers Cheat Sheet). Pictures may be data, as icons in style sheets are.
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
  // Not `no-referrer`: with that a browser sends `Origin: null` from our own pages.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The headers of an answer for `path`; what the API says is for whoever asked alone. */
export const securityHeaders = (path: string): Record<string, string> =>
  path.startsWith('/api') ? { ...EVERYWHERE, 'Cache-Control': 'no-store' } : EVERYWHERE;
