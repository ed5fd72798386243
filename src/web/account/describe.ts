/** Sessions and tokens in words, and what a token is made of. Pure. */

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrom(e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`; what is no browser stands as its first word, `curl/8.5.0`. */
export function clientName(userAgent: string): string {
  const named = (list: typeof BROWSERS) => list.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return userAgent.split(' ')[0] || 'Unknown client';
}

/** How long a new token is good; days, null: for ever. */
export const EXPIRIES = [
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
  { label: '1 year', days: 365 },
  { label: 'No end', days: null },
] as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** ISO 8601, as the hub takes it. */
export const expiryAt = (days: number | null, now: Date): string | null =>
  days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString();

export const hasExpired = (expiresAt: string | null, now: Date): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now.getTime();

/** A request to try a token with. @param origin of the hub, `https://hub.example` */
export const curlExample = (origin: string, token: string): string =>
  `curl -H 'Authorization: Bearer ${token}' ${origin}/api/vhosts`;
