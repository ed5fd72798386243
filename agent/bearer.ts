/** The shared token, compared without telling by the time how much of it was right. */
import { createHash, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/**
 * @param tokens the shared token, and the one it replaces while both are in use
 * @returns whether a request's `Authorization` header carries one of them
 */
export function createBearerCheck(tokens: readonly string[]): (request: Request) => boolean {
  const wanted = tokens.map(sha256);
  return (request) => {
    const [, given = ''] =
      /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const hash = sha256(given);
    // All are compared, whichever fits.
    return wanted.filter((one) => timingSafeEqual(hash, one)).length > 0;
  };
}
