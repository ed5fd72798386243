/** Bearer tokens: new ones, in requests, as hashes, and compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits, as 43 characters of base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Whether the token with this hash is valid, found out in constant time. */
export type KnownToken = (hash: Buffer) => boolean;

/** SHA-256: tokens are random, so that nobody can guess one from its hash, and a slow hash would add nothing. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The same in hexadecimal, as it is stored. */
export const hashOf = (token: string): string => tokenHash(token).toString('hex');

/** Compares in constant time. */
export const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(tokenHash(given), tokenHash(wanted));

/** The bearer token of a request, or null. */
export const bearerOf = (headers: Headers): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;

/** Characters of a token of an agent: 128 bits in hexadecimal. */
export const SHORTEST_TOKEN = 32;

/** @throws Error if it is shorter than that: an empty one would let everyone in */
export function fixedToken(token: string): KnownToken {
  if (token.length < SHORTEST_TOKEN) {
    throw new Error(`a token of the agent must have at least ${SHORTEST_TOKEN} characters`);
  }
  const wanted = tokenHash(token);
  return (hash) => timingSafeEqual(hash, wanted);
}
