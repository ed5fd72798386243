/** Entity tags, and the preconditions that clients make of them. */
import { createHash } from 'node:crypto';
import { Failure } from '../../shared/failure.ts';

/** A strong entity tag (RFC 9110, 8.8.3) over everything in `shown`. */
export function etagOf(shown: object): string {
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('hex');
  return `"${digest.slice(0, 32)}"`;
}

/** Whether an `If-None-Match` header (RFC 9110, 13.1.2) names the tag: the client has what it would get. */
export const isNamedBy = (request: Request, tag: string): boolean =>
  (request.headers.get('if-none-match') ?? '')
    .split(',')
    .some((one) => ['*', tag, tag.replace(/^W\//, '')].includes(one.trim()));

/**
 * The check that an `If-Match` header (RFC 9110, 13.1.1) asks for; undefined if there is none. It
 * throws Failure PRECONDITION_FAILED unless the header names the tag.
 * @param what names the kind of thing in the message
 */
export function ifMatch(request: Request, what: string): ((tag: string) => void) | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (tag) => {
    if (tags.includes(tag)) return;
    throw new Failure('PRECONDITION_FAILED', `The ${what} has changed since you read it.`);
  };
}
