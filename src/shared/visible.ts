/** Makes text from outside safe to print: no character controls a terminal or deceives a reader. Pure. */

/**
 * Control, format, invisible and direction-changing characters, and line separators (UAX 9, UAX 44).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu;

/** Its UTF-16 units, as JSON escapes them: `\u001b`. */
const escaped = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A value within a line; line breaks and tabs are escaped as well. */
export const visible = (value: string): string => value.replace(UNSEEN, escaped);

/** A text of several lines, which keeps its line breaks and tabs. */
export const visibleLines = (text: string): string =>
  text.replace(UNSEEN, (found) => (found === '\n' || found === '\t' ? found : escaped(found)));
