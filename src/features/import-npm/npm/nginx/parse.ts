/** Reads nginx text as nginx does. Pure; never throws, and takes linear time. */

export type Directive = {
  name: string;
  args: readonly string[];
  /** What is in its braces; null if it ends in a semicolon. */
  block: readonly Directive[] | null;
};

type Parsed = { directives: readonly Directive[] } | { fault: string };

/** More than people write; what comes of them grows with their square. */
const MAX_DIRECTIVES = 400;
const MAX_DEPTH = 8;

const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const QUOTED = /(["'])((?:\\[\s\S]|(?!\1)[^\\])*)\1(?=[ \t\r\n;{)])/y;
/** A brace ends a word unless it begins the name of a variable. */
const BARE = /(?:\\[\s\S]|\$\{?|[^ \t\r\n;{\\$])+/y;

const ESCAPED: Record<string, string> = { t: '\t', r: '\r', n: '\n' };

/** The directives of a text that stands inside a block of nginx. */
export function parse(text: string): Parsed {
  const open: { directive: { name: string; args: string[] }; siblings: Directive[] }[] = [];
  let siblings: Directive[] = [];
  let words: string[] = [];
  let count = 0;
  let at = 0;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const begun = () => {
    const [name = '', ...args] = words;
    words = [];
    count++;
    return { name, args };
  };

  for (;;) {
    take(BLANK);
    const next = text[at];
    if (next === undefined) break;
    if (next === ';' || next === '{') {
      if (words.length === 0) return { fault: MALFORMED };
      if (count === MAX_DIRECTIVES) return { fault: TOO_LONG };
      at++;
      const directive = begun();
      if (next === ';') siblings.push({ ...directive, block: null });
      else {
        if (open.length === MAX_DEPTH) return { fault: TOO_DEEP };
        open.push({ directive, siblings });
        siblings = [];
      }
    } else if (next === '}') {
      if (words.length > 0) return { fault: MALFORMED };
      const outer = open.pop();
      if (!outer) return { fault: UNBALANCED };
      at++;
      outer.siblings.push({ ...outer.directive, block: siblings });
      siblings = outer.siblings;
    } else {
      const isQuoted = next === '"' || next === "'";
      const found = take(isQuoted ? QUOTED : BARE);
      if (!found) return { fault: MALFORMED };
      words.push(unescaped((isQuoted ? found[2] : found[0]) ?? ''));
    }
  }
  if (open.length > 0) return { fault: UNBALANCED };
  return words.length > 0 ? { fault: MALFORMED } : { directives: siblings };
}

const unescaped = (word: string): string =>
  word.replace(/\\(["'\\trn])/g, (_, char: string) => ESCAPED[char] ?? char);

const UNBALANCED =
  'The braces of the nginx text do not match: it closes a block that it did not open, or leaves one open.';
const MALFORMED = 'The nginx text is malformed.';
const TOO_LONG = `The nginx text has more than ${MAX_DIRECTIVES} directives.`;
const TOO_DEEP = `The blocks of the nginx text are more than ${MAX_DEPTH} deep.`;
