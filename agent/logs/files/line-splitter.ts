const NEWLINE = 0x0a;

/**
 * A longer line is passed over unread, so that no file can make the agent hold it in memory.
 * Caddy's own stay under 60 MB: 10 MB of response headers at six bytes for a bad one.
 */
export const MAX_LINE_BYTES = 64 << 20;

/** Whole lines, each with the offset behind it. */
export type Line = { text: string; end: number };

/** Cuts bytes that arrive in pieces into lines. */
export type LineCutter = {
  /** The lines that a piece completes; their bytes are copied. */
  push(piece: Buffer): Line[];
  /** What is left without a newline, as a line. */
  rest(): Line[];
};

/** `offset` is the one of the first byte to come. Lines too long to be indexed are passed over. */
export function createLineCutter(offset: number): LineCutter {
  let pieces: Buffer[] = [];
  let held = 0;
  let position = offset;

  function complete(last: Buffer, end: number): Line[] {
    const isTooLong = held + last.length > MAX_LINE_BYTES;
    const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    held = 0;
    return isTooLong ? [] : [{ text: bytes.toString(), end }];
  }

  return {
    push(piece) {
      const lines: Line[] = [];
      let start = 0;
      for (;;) {
        const newline = piece.indexOf(NEWLINE, start);
        if (newline < 0) break;
        lines.push(...complete(piece.subarray(start, newline), position + newline + 1));
        start = newline + 1;
      }
      position += piece.length;
      const rest = piece.subarray(start);
      held += rest.length;
      if (held > MAX_LINE_BYTES) pieces = [];
      else if (rest.length > 0) pieces.push(Buffer.from(rest));
      return lines;
    },
    rest: () => (held > 0 ? complete(Buffer.alloc(0), position) : []),
  };
}
