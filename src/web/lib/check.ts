/** A site's check, as it is stored and as people read it. Pure. */
import type { Check } from './types.ts';

/** Seconds in which a site has to answer, unless its check says otherwise. */
export const WITHIN = 5;
/** Seconds from one request to the next while nothing changes. */
export const EVERY = 60;

/** What is typed into a form, where a field that is left out may be undefined. */
export type Fields = Pick<Check, 'path'> & {
  [field in Exclude<keyof Check, 'path'>]?: Check[field] | undefined;
};

/** The check with its fields in one order, so that equal ones are equal as text. */
export function tidied({ path, status, contains, within, every }: Fields): Check {
  return {
    path,
    ...(status !== undefined && { status }),
    ...(contains !== undefined && { contains }),
    ...(within !== undefined && { within }),
    ...(every !== undefined && { every }),
  };
}

/** `GET / answers 200 with “ready” within 5 s, asked every 60 s`; without a status, `2xx`. */
export function wordsOfCheck(check: Check): string {
  const { path, status, contains, within = WITHIN, every = EVERY } = check;
  const content = contains === undefined ? '' : ` with “${contains}”`;
  const when = every === 0 ? 'asked only at changes' : `asked every ${every} s`;
  return `GET ${path} answers ${status ?? '2xx'}${content} within ${within} s, ${when}`;
}

/** Whether something that was recorded is a check. */
export const isCheck = (value: unknown): value is Check =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
