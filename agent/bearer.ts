/** Checks the agent's bearer token in constant time, inside the routes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { Failure } from '../src/shared/failure.ts';

/** Whether the `Authorization` header of a request carries a valid token. */
export type BearerCheck = (request: Request) => boolean;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Characters: 128 bits in hexadecimal. */
export const SHORTEST_TOKEN = 32;

/**
 * @param tokens the shared token, and during a rotation the previous one
 * @throws Error if one is shorter than that: an empty one would let everyone in
 */
export function createBearerCheck(tokens: readonly string[]): BearerCheck {
  if (tokens.some((token) => token.length < SHORTEST_TOKEN)) {
    throw new Error(`a token of the agent must have at least ${SHORTEST_TOKEN} characters`);
  }
  const wanted = tokens.map(sha256);
  return (request) => {
    const [, given = ''] =
      /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const hash = sha256(given);
    // Compares all of them, even after a match.
    return wanted.filter((one) => timingSafeEqual(hash, one)).length > 0;
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
