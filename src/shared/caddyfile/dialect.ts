/** What depends on the version of Caddy in the syntax of Caddyfiles. Pure. */

/** A word, and how it is quoted: `''` if it is not. */
type Word = { text: string; quote: string };

/**
 * Which words are braces, by the first release that reads them so, in `caddyconfig/caddyfile` of its
 * source. The next change of Caddy's lexer is a line here.
 */
const READINGS: readonly { since: string; isBrace: (word: Word) => boolean }[] = [
  { since: '2.0.0', isBrace: ({ text }) => text === '{' || text === '}' },
  { since: '2.11.5', isBrace: ({ text, quote }) => quote === '' && (text === '{' || text === '}') },
];

/** What changes when a release is added that reads braces differently. */
export const KNOWN_READINGS = READINGS.map(({ since }) => since).join('+');

/** Whether a word is a brace in some releases of Caddy, and text in others. */
export const isDisputed = (word: Word): boolean =>
  READINGS.some(({ isBrace }) => isBrace(word)) && !READINGS.every(({ isBrace }) => isBrace(word));

export type Dialect = {
  /** Whether `<<MARK` begins a text of several lines. */
  heredocs: boolean;
  /** Whether an import may have a block, for `{block}` and `{blocks.NAME}` of its snippet. */
  importBlocks: boolean;
};

/** The dialect of a version, the oldest one if it is unknown. @param version such as `2.6.2` */
export const dialectOf = (version: string | null): Dialect => ({
  heredocs: hasHeredocs(version),
  importBlocks: isSince(version, 9),
});

/** What a version calls directives and matchers that others call otherwise. */
export type Wording = {
  /** `basic_auth` since 2.8. */
  basicAuth: 'basicauth' | 'basic_auth';
  /** `client_ip` since 2.7, which respects the global option `trusted_proxies`. */
  clientIp: 'remote_ip' | 'client_ip';
  /** Whether `client_auth` takes its authorities from a `trust_pool`, as it does since 2.8. */
  hasTrustPools: boolean;
};

/** The wording of a version, the oldest one if it is unknown. @param version such as `2.6.2` */
export const wordingOf = (version: string | null): Wording => ({
  basicAuth: isSince(version, 8) ? 'basic_auth' : 'basicauth',
  clientIp: isSince(version, 7) ? 'client_ip' : 'remote_ip',
  hasTrustPools: isSince(version, 8),
});

/**
 * The dialects in which a text must be sound: older versions are upgraded while hub and agent run,
 * and then read what they once accepted as the newer version does.
 */
export function dialectsFor<D extends Partial<Dialect>>(dialect: D, texts: readonly string[]): D[] {
  if (dialect.heredocs || !texts.some((text) => text.includes('<'))) return [dialect];
  return [dialect, { ...dialect, heredocs: true }];
}

/** Whether this version reads heredocs, as Caddy does since 2.7. @param version such as `2.6.2`, null if unknown */
export function hasHeredocs(version: string | null): boolean {
  return isSince(version, 7);
}

/** Whether this version can leave websockets open at a load, as Caddy can since 2.7. @param version as above */
export const hasStreamDelay = (version: string | null): boolean => isSince(version, 7);

/** Whether it is at least 2.`minor`. */
function isSince(version: string | null, least: number): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && minor >= least);
}

/** One version of each dialect and wording. */
export const ERAS: readonly (string | null)[] = [null, '2.7.0', '2.8.0', '2.9.0'];
