/** Translates nginx's regular expressions (PCRE) to those of Caddy (RE2). Pure. */
import { literally } from '../../../../hub/recipes/quote.ts';

const MAX_LENGTH = 500;
/** RE2 refuses more repetitions than this, also those of repetitions. */
const MAX_REPEATS = 1_000;

/**
 * What means the same in both: classes, groups, repetitions, and escapes of punctuation. A brace is
 * only that of a repetition, so that it never looks like a placeholder.
 */
const POSIX = '\\[:(?:alnum|alpha|blank|digit|lower|punct|space|upper|xdigit):\\]';
const CLASS = String.raw`\[\^?(?:\\[dDwWsS!-/:-@[-_{-~]|${POSIX}|[^\\[\]{}])+\]`;
const REPEAT = String.raw`\{(?<least>\d{1,4})(?:,(?<most>\d{0,4}))?\}`;
const ITEM = new RegExp(
  String.raw`\\[dDwWsSbB]|\\(?<escaped>[!-/:-@[-\x60{-~ ])|(?<named>\(\?P?<[A-Za-z]\w*>)|\((?:\?:|(?!\?))|[)|^$.*+?]|${REPEAT}|${CLASS}|[^\\()|^$.*+?{}[\]]`,
  'y',
);

/** A regular expression for Caddy, or null if it says what RE2 cannot. */
export function translated(pattern: string, ignoresCase: boolean): string | null {
  const isMarked = pattern.startsWith('(?i)');
  const source = isMarked ? pattern.slice(4) : pattern;
  if (source.length > MAX_LENGTH || !/^[ -~]*$/.test(source) || source.includes('{$')) return null;
  let text = '';
  let repeats = 1;
  ITEM.lastIndex = 0;
  for (let at = 0; at < source.length; at = ITEM.lastIndex) {
    const found = ITEM.exec(source);
    if (!found) return null;
    const { escaped, named, least, most } = found.groups ?? {};
    if (least !== undefined) repeats *= Math.max(1, Number(least), Number(most || 0));
    if (escaped !== undefined) text += literally(escaped);
    else text += named === undefined ? found[0].replaceAll('`', '\\x60') : '(';
  }
  if (repeats > MAX_REPEATS || !isSound(text)) return null;
  return isMarked || ignoresCase ? `(?i)${text}` : text;
}

/** How many groups `translated` left in a regular expression. */
export const groupsIn = (pattern: string): number =>
  pattern
    .replace(/\\./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .match(/\((?!\?)/g)?.length ?? 0;

/** In PCRE, `$` also matches before a line feed at the end: what refuses must not be got around with one. */
export const beforeLineFeed = (pattern: string): string =>
  pattern.replace(/(?<!\\)((?:\\\\)*)\$$/, '$1\\n?$');

/**
 * Whether groups close, ranges ascend and so on: JavaScript is stricter than RE2 there, and also about
 * which punctuation may have a backslash.
 */
function isSound(text: string): boolean {
  try {
    return (
      new RegExp(
        text.replace(/\[:\w+:\]/g, '\\d').replace(/\\([^\w^$\\.*+?()[\]{}|/-])/g, '$1'),
        'u',
      ) !== null
    );
  } catch {
    return false;
  }
}

/** The word of a Caddyfile for what `translated` or `literally` gave. */
export const regexWord = (pattern: string): string =>
  /^[\w^/\\(][\w^$./\\()|*+?:[\]-]*$/.test(pattern) && !pattern.endsWith('\\')
    ? pattern
    : `\`${pattern}\``;

/**
 * The same pattern for a whole text: nginx replaces all of a path, whatever part of it matched.
 */
export function whole(pattern: string): string {
  const flag = pattern.startsWith('(?i)') ? '(?i)' : '';
  const text = pattern.slice(flag.length);
  if (text.includes('|')) return `${flag}^.*?(?:${text}).*$`;
  const start = text.startsWith('^') ? '' : '^.*?';
  const end = /(?<!\\)(?:\\\\)*\$$/.test(text) ? '' : '.*$';
  return `${flag}${start}${text}${end}`;
}
