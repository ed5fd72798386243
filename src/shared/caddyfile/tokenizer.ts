/**
 * Splits a Caddyfile into tokens exactly as Caddy does, including its oddities, so that every check
 * of a config's structure sees the same tokens as the proxy. Pure.
 */

import type { Dialect } from './dialect.ts';

export type Token = {
  /** The token as Caddy sees it: without quotes, with escapes and heredoc margins resolved. */
  text: string;
  /** 1-based line as Caddy counts it: an escaped line end does not end the line. */
  line: number;
  /** UTF-16 offset of the token's first character in the source, including quotes. */
  start: number;
  /** UTF-16 offset after its last character. */
  end: number;
  /** How it was quoted; `''` for a plain token, and for one whose quote is never closed. */
  quote: '"' | '`' | '<<' | '';
};

export type TokenizeOptions = Partial<Dialect> & {
  /** Stops after this many tokens. */
  most?: number;
};

/** How many words one config or preamble may have; reading that many takes some 50 ms. */
export const MAX_WORDS = 50_000;

/** How many words all of them may have together: those of a hundred thousand small sites. */
export const MAX_ALL_WORDS = 500_000;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const LESS = 0x3c;
const BACKSLASH = 0x5c;
const BACKTICK = 0x60;
const BYTE_ORDER_MARK = 0xfeff;

/** Go's unicode.IsSpace: unlike JavaScript's `\s` it includes U+0085 and excludes U+FEFF. */
function isSpace(code: number): boolean {
  if (code <= SPACE) return code === SPACE || (code >= TAB && code <= CR);
  if (code < 0x85) return false;
  if (code === 0x85 || code === 0xa0 || code === 0x1680 || code === 0x3000) return true;
  if (code < 0x2000 || code > 0x205f) return false;
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}

/** Whether the token opens or closes a block; up to Caddy 2.11.4 even a quoted brace does. */
export function isBrace(token: Pick<Token, 'text'>): boolean {
  return token.text === '{' || token.text === '}';
}

/**
 * Whether a word that is not a brace can become one when Caddy imports its text: that takes a backslash
 * before a brace away, and puts anything in the place of `{args…}`.
 */
export function becomesBrace({ text }: Pick<Token, 'text'>): boolean {
  if (!text.includes('\\') && !text.includes('{args')) return false;
  // In linear time, also for a megabyte of backslashes.
  const bare = text.replace(/\\+([{}])?/g, (slashes: string, brace?: string) => brace ?? slashes);
  return /^[{}]$/.test(withoutArguments(bare).join(''));
}

/** The text between the `{args…}` of a word; in linear time, also if none of them is closed. */
export function withoutArguments(word: string): string[] {
  const parts: string[] = [];
  let kept = 0;
  for (let at = word.indexOf('{args'); at >= 0; at = word.indexOf('{args', kept)) {
    const close = word.indexOf('}', at);
    if (close < 0) break;
    parts.push(word.slice(kept, at));
    kept = close + 1;
  }
  return [...parts, word.slice(kept)];
}

/** The number of line breaks in a token; a heredoc's two marker lines are not in its text. */
function lineBreaks(token: Token): number {
  let breaks = token.quote === '<<' ? 2 : 0;
  for (let at = token.text.indexOf('\n'); at >= 0; at = token.text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** Whether Caddy puts the block of an import in the place of this word of a snippet, since 2.9. */
export const isBlockArgument = (token: Token | undefined): boolean =>
  token?.text.startsWith('{block') ?? false;

/** Whether Caddy considers the token at `index` the first on its line. */
export function startsLine(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (!token || !before) return true;
  return before.line < token.line && before.line + lineBreaks(before) < token.line;
}

/** The tokens of `source`, in order. Never throws: an open quote runs to the end. */
export function tokenize(source: string, options: TokenizeOptions = {}): Token[] {
  const { tokens, step } = createLexer(source, options);
  while (step());
  return tokens;
}

/** Words between two pauses: about a millisecond. */
const WORDS_PER_TURN = 1_000;

/**
 * The same, with pauses for others (see `createPauses`).
 * @param visit gets each token as soon as it is read @throws what it throws
 */
export async function tokenizeInTurns(
  source: string,
  options: TokenizeOptions,
  pause: () => Promise<void> | undefined,
  visit: (token: Token) => void = () => {},
): Promise<Token[]> {
  const { tokens, step } = createLexer(source, options);
  while (step()) {
    visit(tokens.at(-1) as Token);
    if (tokens.length % WORDS_PER_TURN === 0) await pause();
  }
  return tokens;
}

type Lexer = {
  /** Those read so far. */
  tokens: Token[];
  /** Reads the next one; false if there is none. */
  step(): boolean;
};

/** Reads a text token by token, up to `most`. */
export function createLexer(source: string, options: TokenizeOptions = {}): Lexer {
  const { heredocs = false, most = Number.POSITIVE_INFINITY } = options;
  const length = source.length;
  const tokens: Token[] = [];
  let at = source.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  let line = 1;
  /** Escaped line ends, which Caddy counts only at the next unescaped line end. */
  let skipped = 0;

  const endLine = () => {
    line += 1 + skipped;
    skipped = 0;
  };

  /** Moves to the next token; returns the offset of a backslash that still escapes it, or -1. */
  const skipBlank = (): number => {
    let backslash = -1;
    let comment = false;
    for (; at < length; at++) {
      const code = source.charCodeAt(at);
      if (code === BACKSLASH && backslash < 0) {
        backslash = at;
      } else if (code === LF) {
        if (backslash >= 0) skipped++;
        else endLine();
        backslash = -1;
        comment = false;
      } else if (!comment && !isSpace(code)) {
        if (code !== HASH) return backslash;
        comment = true;
      }
    }
    return backslash;
  };

  const readQuoted = (start: number, pending: boolean): void => {
    const from = line;
    let escaped = pending;
    let text = '';
    let kept = ++at;
    for (; at < length; at++) {
      const code = source.charCodeAt(at);
      if (code === BACKSLASH && !escaped) {
        escaped = true;
        continue;
      }
      if (escaped) {
        // A backslash before the opening quote escapes the first character inside.
        if (pending) text = code === QUOTE ? '' : '\\';
        else if (code === QUOTE) {
          text += source.slice(kept, at - 1);
          kept = at;
        }
        escaped = pending = false;
      } else if (code === QUOTE) {
        text += source.slice(kept, at++);
        tokens.push({ text, line: from, start, end: at, quote: '"' });
        return;
      }
      if (code === LF) endLine();
    }
    text += source.slice(kept, escaped && !pending ? length - 1 : length);
    if (text !== '') tokens.push({ text, line: from, start, end: length, quote: '' });
  };

  const readRaw = (start: number): void => {
    const from = line;
    const close = source.indexOf('`', at + 1);
    const text = source.slice(at + 1, close < 0 ? length : close);
    for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) endLine();
    at = close < 0 ? length : close + 1;
    if (close < 0 && text === '') return;
    tokens.push({ text, line: from, start, end: at, quote: close < 0 ? '' : '`' });
  };

  /** Continues after `<<`; `at` is on the second `<`. */
  const readHeredoc = (start: number): void => {
    const opening = ++at;
    while (at < length && source.charCodeAt(at) !== LF && source.charCodeAt(at) !== SPACE) at++;
    const word = source.slice(opening, at).replaceAll('\r', '');
    if (source.charCodeAt(at) !== LF) {
      tokens.push({ text: `<<${word}`, line, start, end: at, quote: '' });
      return;
    }
    const body = at + 1;
    const close = MARKER.test(word) ? source.indexOf(word, body) : -1;
    at = close < 0 ? length : close + word.length;
    const content = source.slice(body, close < 0 ? length : close);
    if (close < 0) {
      tokens.push({ text: content, line, start, end: length, quote: '' });
      return;
    }
    tokens.push({ text: withoutMargin(content), line, start, end: at, quote: '<<' });
    line += skipped + 1;
    skipped = 0;
    for (let lf = content.indexOf('\n'); lf >= 0; lf = content.indexOf('\n', lf + 1)) line++;
  };

  const readPlain = (start: number, pending: boolean): void => {
    const from = line;
    /** A backslash was read but is not in `text` yet, because a line end would drop it. */
    let escaped = pending;
    /** `\\<` was read, after which `<<` does not open a heredoc. */
    let literal = false;
    let text = '';
    let kept = at;
    /** After the last character that belongs to the token. */
    let end = at;
    for (; at < length; at++) {
      const code = source.charCodeAt(at);
      const ordinary = code > SPACE && code < 0x85 && code !== BACKSLASH && code !== LESS;
      if (!ordinary) {
        if (code === BACKSLASH && !escaped) {
          text += source.slice(kept, at);
          kept = end = at + 1;
          escaped = true;
          continue;
        }
        if (code === CR) {
          text += source.slice(kept, at);
          kept = at + 1;
          continue;
        }
        if (isSpace(code)) break;
        if (code === LESS && heredocs) {
          if (escaped) {
            escaped = false;
            literal = true;
          } else if (!literal && text.length + at - kept === 1 && source[start] === '<') {
            readHeredoc(start);
            return;
          }
        }
      }
      if (escaped) text += '\\';
      escaped = false;
      end = at + 1;
    }
    if (end > kept) text += source.slice(kept, end);
    if (text !== '') tokens.push({ text, line: from, start, end, quote: '' });
    if (escaped && source.charCodeAt(at) === LF) {
      skipped++;
      at++;
    }
  };

  return {
    tokens,
    step() {
      const before = tokens.length;
      if (before >= most) return false;
      // What is only a backslash or a carriage return is no token.
      while (tokens.length === before) {
        const backslash = skipBlank();
        if (at >= length) return false;
        const start = backslash < 0 ? at : backslash;
        const code = source.charCodeAt(at);
        if (code === QUOTE) readQuoted(start, backslash >= 0);
        else if (code === BACKTICK) readRaw(start);
        else readPlain(start, backslash >= 0);
      }
      return true;
    },
  };
}

const MARKER = /^[A-Za-z0-9_-]+$/;

/** A heredoc's lines without the indentation of its closing marker. */
function withoutMargin(content: string): string {
  const last = content.lastIndexOf('\n');
  const margin = content.slice(last + 1);
  // Not line by line: there may be millions.
  return `\n${content.slice(0, Math.max(last, 0))}`
    .replaceAll(`\n${margin}`, '\n')
    .slice(1)
    .replaceAll('\r', '');
}
