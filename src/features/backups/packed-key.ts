/** The key of the hub in a backup: as it is, or sealed by a passphrase. */
import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from 'node:crypto';
import { keyFrom, markOf } from '../../hub/db/sealing.ts';

/** How a backup has the key: not at all, as it is, or only for who knows the passphrase. */
export const KEY_STATES = ['none', 'clear', 'sealed'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export type PackedKey = Readonly<{
  /** Names the key without telling it. */
  mark: Buffer;
  /** Of the passphrase; null: the key is in clear. */
  salt: Buffer | null;
  /** The text of the key, or what `sealed` makes of it: nonce, cipher text and tag. */
  key: Buffer;
}>;

/** The passphrase is wrong, or missing. */
export class PassphraseError extends Error {}

/** 128 MiB and some 0.4 s a try (RFC 7914; OWASP asks for at least this N). */
const SCRYPT: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ABOUT = Buffer.from('signalbox key in a backup');

/**
 * @param text of the file with the key; null if there is none
 * @returns null if there is no key in it
 */
export async function packKey(
  text: string | null,
  passphrase: string | null,
): Promise<PackedKey | null> {
  const key = keyFrom(text);
  if (!key) return null;
  const mark = markOf(key);
  if (passphrase === null) return { mark, salt: null, key: Buffer.from(key.toString('base64url')) };
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt), nonce);
  cipher.setAAD(ABOUT);
  const sealed = [cipher.update(key.toString('base64url')), cipher.final(), cipher.getAuthTag()];
  return { mark, salt, key: Buffer.concat([nonce, ...sealed]) };
}

/** The text of the key. @throws PassphraseError; Error if it is damaged */
export async function unpackKey(packed: PackedKey, passphrase: string | null): Promise<string> {
  const text = packed.salt ? await unseal(packed, packed.salt, passphrase) : packed.key.toString();
  const key = keyFrom(text);
  if (key && markOf(key).equals(packed.mark)) return text;
  throw new Error('the key in the backup is damaged');
}

async function unseal({ key }: PackedKey, salt: Buffer, passphrase: string | null) {
  if (passphrase === null) {
    throw new PassphraseError('a passphrase seals the key in this backup, and none was given');
  }
  try {
    const nonce = key.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', await derive(passphrase, salt), nonce);
    decipher.setAAD(ABOUT);
    decipher.setAuthTag(key.subarray(-TAG_BYTES));
    const text = decipher.update(key.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch (cause) {
    throw new PassphraseError('the passphrase does not open the key in this backup', { cause });
  }
}

/** The same bytes for the same letters, however a keyboard composes them. */
const derive = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, SCRYPT, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
