/** Finds the user agent among the headers of a scanned line without decoding them. */
import { COMMA, plainString, QUOTE } from './bytes.ts';
import type { ScannedLine } from './scanned-line.ts';

type UserAgentFinder = {
  /** Sets the buffer to search; also needed when its bytes have changed. */
  open(bytes: Buffer): void;
  /**
   * The user agent of a line, empty without one; undefined if only JSON.parse can tell. Once for each line, and
   * for lines in the order of the buffer.
   */
  find(line: Pick<ScannedLine, 'headersStart' | 'headersEnd'>): string | undefined;
};

const NAME = 'User-Agent';
// Only a whole string ends with a quote that has no backslash: a name of a header, or one of its values.
const NAME_END = Buffer.from(`${NAME}"`);
const [COLON, OPENING, CLOSING, OBJECT] = [0x3a, 0x5b, 0x5d, 0x7b];
const VALUE_LENGTH = ':["'.length;
// An object among the headers may have names of its own, and an escape may hide a name.
const [NESTED, ESCAPE] = [Buffer.from('[{'), Buffer.from('\\u')];

/** A text, and where it occurs next: searched for once, and used by the line that holds it. */
type Next = { readonly text: Buffer; at: number };

export function createUserAgentFinder(): UserAgentFinder {
  let buffer: Buffer = Buffer.alloc(0);
  const name: Next = { text: NAME_END, at: -1 };
  const nested: Next = { text: NESTED, at: -1 };
  const hidden: Next = { text: ESCAPE, at: -1 };

  function nextOf(next: Next, from: number): number {
    if (next.at < from) {
      const found = buffer.indexOf(next.text, from);
      next.at = found < 0 ? buffer.length : found;
    }
    return next.at;
  }

  return {
    open(bytes) {
      buffer = bytes;
      for (const next of [name, nested, hidden]) next.at = -1;
    },
    find({ headersStart, headersEnd }) {
      if (nextOf(nested, headersStart) < headersEnd) return undefined;
      if (nextOf(hidden, headersStart) < headersEnd) return undefined;
      const at = nextOf(name, headersStart);
      if (at >= headersEnd) return '';
      const value = at + NAME_END.length;
      const isName =
        buffer[at - 1] === QUOTE &&
        (buffer[at - 2] === COMMA || buffer[at - 2] === OBJECT) &&
        buffer[value] === COLON &&
        buffer[value + 1] === OPENING &&
        buffer[value + 2] === QUOTE;
      if (!isName || nextOf(name, value) < headersEnd) return undefined;
      const start = value + VALUE_LENGTH;
      const end = plainString(buffer, start);
      if (end < 0 || buffer[end + 1] !== CLOSING) return undefined;
      return buffer.toString('utf8', start, end);
    },
  };
}
