/** How an API token is written: a prefix scanners know it by, and a checksum at its end. Pure. */
import { randomBytes } from 'node:crypto';

const PREFIX = 'sbx_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 characters of base62 are 190 random bits. */
const RANDOM = 32;
/** As many as base62 needs for 32 bits; with them a scanner tells a token from a look-alike. */
const CHECKSUM = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`);

export function makeTokenText(): string {
  let random = '';
  while (random.length < RANDOM) {
    for (const byte of randomBytes(RANDOM)) {
      // Bytes from 248 on would favour the first letters: 248 is the last multiple of 62.
      if (byte < 248 && random.length < RANDOM) random += ALPHABET[byte % 62];
    }
  }
  return `${PREFIX}${random}${checksum(random)}`;
}

/** Whether `text` can be one of ours at all. */
export function isTokenText(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = PREFIX.length + RANDOM;
  return checksum(text.slice(PREFIX.length, end)) === text.slice(end);
}

/** CRC-32 of the random part in base62, the most significant digit first. */
function checksum(random: string): string {
  let rest = Bun.hash.crc32(random);
  let text = '';
  for (let digit = 0; digit < CHECKSUM; digit++) {
    text = (ALPHABET[rest % 62] ?? '') + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
