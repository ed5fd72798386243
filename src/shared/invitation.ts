/** The line by which a hub learns of an agent: where it is, its certificate, and a one-time secret. */

export type Invitation = {
  /** Where the hub dials, an origin: `https://192.168.1.5:3002`. */
  url: string;
  /** SHA-256 of the agent's certificate, 64 lower-case hexadecimal digits. */
  fingerprint: string;
  /** 32 random bytes as base64url. */
  secret: string;
};

const PREFIX = 'sbxi_';
/** A host name has at most 253 characters (RFC 1035); the rest is of fixed length. */
const LONGEST = 1_000;

/** One word without spaces, to paste. */
export const formatInvitation = ({ url, fingerprint, secret }: Invitation): string =>
  PREFIX + Buffer.from(JSON.stringify([url, fingerprint, secret])).toString('base64url');

/**
 * Reads what a person pasted: the word, or the whole line that the agent printed, even if a terminal
 * has broken it. Never throws; null for anything that `formatInvitation` did not make.
 */
export function parseInvitation(line: string): Invitation | null {
  if (line.length > LONGEST) return null;
  const word = line.replace(/^\s*invitation:/, '').replace(/\s+/g, '');
  if (!word.startsWith(PREFIX)) return null;
  let fields: unknown;
  try {
    const bytes = Buffer.from(word.slice(PREFIX.length), 'base64url');
    fields = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
  if (!Array.isArray(fields) || fields.length !== 3) return null;
  const [url, fingerprint, secret]: unknown[] = fields;
  const areTexts =
    typeof url === 'string' && typeof fingerprint === 'string' && typeof secret === 'string';
  if (!areTexts) return null;
  if (!url.startsWith('https://') || URL.parse(url)?.origin !== url) return null;
  if (!/^[0-9a-f]{64}$/.test(fingerprint) || !/^[\w-]{43}$/.test(secret)) return null;
  return { url, fingerprint, secret };
}
