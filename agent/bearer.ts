/** Checks the agent's bearer token in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/**
 * @param tokens the shared token, and during a rotation the previous one
 * @returns whether the `Authorization` header of a request carries one of them
 */
export function createBearerCheck(tokens: readonly string[]): (request: Request) => boolean {
  const wanted = tokens.map(sha256);
  return (request) => {
    const [, given = ''] =
      /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const hash = sha256(given);
    // Compares all of them, even after a match.
    return wanted.filter((one) => timingSafeEqual(hash, one)).length > 0;
  };
}
