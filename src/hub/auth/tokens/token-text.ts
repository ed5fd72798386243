/** The format of API tokens: a prefix that secret scanners recognise, random text and a checksum. Pure. */
import { randomBytes } from 'node:crypto';

const PREFIX = 'sbx_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 characters of base62 are 190 random bits. */
const RANDOM = 32;
/** As many as base62 needs for 32 bits; scanners use them to rule out look-alikes. */
const CHECKSUM = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`);

export function makeTokenText(): string {
  let random = '';
  while (random.length < RANDOM) {
    for (const byte of randomBytes(RANDOM)) {
      // Bytes from 248 on, the last multiple of 62, would favour the first letters.
      if (byte < 248 && random.length < RANDOM) random += ALPHABET[byte % 62];
    }
  }
  return `${PREFIX}${random}${checksum(random)}`;
}

/** Whether `text` has the format of an API token. */
export function isTokenText(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = PREFIX.length + RANDOM;
  return checksum(text.slice(PREFIX.length, end)) === text.slice(end);
}

/** CRC-32 of the random part in base62, most significant digit first. */
function checksum(random: string): string {
  let rest = Bun.hash.crc32(random);
  let text = '';
  for (let digit = 0; digit < CHECKSUM; digit++) {
    text = (ALPHABET[rest % 62] ?? '') + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
