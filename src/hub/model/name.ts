/** What policies and agents may be called. Pure. */
import { Failure } from '../../shared/failure.ts';

const NAME = /^[a-z0-9-]{1,40}$/;

export const isName = (text: string): boolean => NAME.test(text);

/** @throws Failure INVALID_REQUEST */
export function assertName(name: string): void {
  if (isName(name)) return;
  const message = 'A name has 1 to 40 lower-case letters, digits and hyphens.';
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'name' } });
}
