/** A site's check, as it is stored and as people read it. Pure. */
import type { Check } from './types.ts';

/** Seconds in which a site has to answer, unless its check says otherwise. */
export const WITHIN = 5;

/** What is typed into a form, where a field that is left out may be undefined. */
export type Fields = Pick<Check, 'path'> & {
  [field in Exclude<keyof Check, 'path'>]?: Check[field] | undefined;
};

/** The check with its fields in one order, so that equal ones are equal as text. */
export function tidied({ path, status, contains, within }: Fields): Check {
  return {
    path,
    ...(status !== undefined && { status }),
    ...(contains !== undefined && { contains }),
    ...(within !== undefined && { within }),
  };
}

/** `GET / answers 200 with “ready” within 5 s`; without a status, `2xx`. */
export function wordsOfCheck({ path, status, contains, within = WITHIN }: Check): string {
  const content = contains === undefined ? '' : ` with “${contains}”`;
  return `GET ${path} answers ${status ?? '2xx'}${content} within ${within} s`;
}

/** Whether something that was recorded is a check. */
export const isCheck = (value: unknown): value is Check =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
