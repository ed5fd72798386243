/** Checks the agent's bearer token in constant time, inside the routes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { Failure } from '../src/shared/failure.ts';

/** Whether the `Authorization` header of a request carries a valid token. */
type BearerCheck = (request: Request) => boolean;

/** Whether the token with this hash is valid, found out in constant time. */
export type KnownToken = (hash: Buffer) => boolean;

/** SHA-256: tokens are random, so that nobody can guess one from its hash. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Characters: 128 bits in hexadecimal. */
export const SHORTEST_TOKEN = 32;

/** @throws Error if it is shorter than that: an empty one would let everyone in */
export function fixedToken(token: string): KnownToken {
  if (token.length < SHORTEST_TOKEN) {
    throw new Error(`a token of the agent must have at least ${SHORTEST_TOKEN} characters`);
  }
  const wanted = tokenHash(token);
  return (hash) => timingSafeEqual(hash, wanted);
}

export function createBearerCheck(isKnown: KnownToken): BearerCheck {
  return (request) => {
    const [, given = ''] =
      /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    return isKnown(tokenHash(given));
  };
}

/**
 * Guards all routes that are mounted after it, and every address without a route. It runs once a
 * route has been found and before its body is read: a guard that looked at the address by itself
 * could read it differently from the router.
 * @throws Failure, per request: UNAUTHENTICATED
 */
export function bearerGuard(isAllowed: BearerCheck) {
  return new Elysia({ name: 'bearer-guard' }).onTransform({ as: 'scoped' }, ({ request, set }) => {
    if (isAllowed(request)) return;
    set.headers['WWW-Authenticate'] = 'Bearer';
    throw new Failure('UNAUTHENTICATED', 'A valid agent token is required.');
  });
}
