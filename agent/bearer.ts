/** The shared token, compared without telling by the time how much of it was right. */
import { createHash, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** @returns whether a request's `Authorization` header carries `token` */
export function createBearerCheck(token: string): (request: Request) => boolean {
  const wanted = sha256(token);
  return (request) => {
    const [, given = ''] =
      /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    return timingSafeEqual(sha256(given), wanted);
  };
}
