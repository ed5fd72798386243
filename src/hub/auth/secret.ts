/** Reading, hashing and comparing secrets. Pure. */
import { createHash, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** What is stored of a token: hex SHA-256. Tokens have full entropy, so a slow hash would add nothing. */
export const hashOf = (token: string): string => sha256(token).toString('hex');

/** Compares in constant time. */
export const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(sha256(given), sha256(wanted));

/** The bearer token of a request, or null. */
export const bearerOf = (headers: Headers): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
