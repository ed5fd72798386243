/** Cuts a log that arrives in pieces into lines. */

export const NEWLINE = 0x0a;

/**
 * A longer line is ignored without being read, so that no file can make the agent keep it in
 * memory. Caddy's own lines stay under 60 MB: 10 MB of response headers at six bytes per bad byte.
 */
const MAX_LINE_BYTES = 64 << 20;

/** The start of a line that continues in the next piece. */
type Carry = {
  /** Bytes of the line so far, including those that were not kept. */
  readonly size: number;
  /** Adds a copy of the bytes. */
  add(bytes: Buffer): void;
  /** Empties the carry. Undefined if the line was longer than `MAX_LINE_BYTES`. */
  take(): Buffer | undefined;
};

export function createCarry(): Carry {
  let pieces: Buffer[] = [];
  let size = 0;

  return {
    get size() {
      return size;
    },
    add(bytes) {
      size += bytes.length;
      if (size > MAX_LINE_BYTES) pieces = [];
      else pieces.push(Buffer.from(bytes));
    },
    take() {
      const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces);
      pieces = [];
      size = 0;
      return line;
    },
  };
}

/** A line without its newline, and the offset in the log at which the next line starts. */
export type Line = { text: string; end: number };

type LineSplitter = {
  /** The lines that a piece completes, without the overlong ones. The piece is copied. */
  push(piece: Buffer): Line[];
  /** What is left without a newline, as a line. */
  rest(): Line[];
};

/** @param offset of the first byte to be pushed */
export function createLineSplitter(offset: number): LineSplitter {
  const carry = createCarry();
  let position = offset;

  function complete(end: number): Line[] {
    const bytes = carry.take();
    return bytes ? [{ text: bytes.toString(), end }] : [];
  }

  return {
    push(piece) {
      const lines: Line[] = [];
      let start = 0;
      for (;;) {
        const newline = piece.indexOf(NEWLINE, start);
        if (newline < 0) break;
        carry.add(piece.subarray(start, newline));
        start = newline + 1;
        lines.push(...complete(position + start));
      }
      carry.add(piece.subarray(start));
      position += piece.length;
      return lines;
    },
    rest: () => (carry.size > 0 ? complete(position) : []),
  };
}
