/** Makes sentences of other programs, and long lists of names, fit to be shown. Pure. */

/**
 * Control, format and invisible characters, and line separators: a request's host name or the response
 * of a stranger's server may be quoted.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]+/gu;

/** Characters: enough for any sentence of Caddy's, few enough for a form. */
const LONGEST = 500;

/** On one line, without what nobody sees. */
export const oneLine = (text: string): string => text.replace(UNSEEN, ' ').trim();

/** The beginning of a text that is too long to be shown. */
export const clip = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;

/** `a, b and 3 more`. @param most names that are shown */
export function listed(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return names.slice(0, most).join(', ') + more;
}
