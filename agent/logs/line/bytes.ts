/** Comparing and skipping bytes of a log line. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const BACKSLASH = 0x5c;
export const CLOSE = 0x7d;

/** Bytes to compare with, in words of four and the rest. */
type Literal = { length: number; words: Int32Array; tail: Uint8Array };

export function literal(text: string): Literal {
  const bytes = new Uint8Array(Buffer.from(text));
  const view = new DataView(bytes.buffer);
  const count = bytes.length >> 2;
  const words = Int32Array.from({ length: count }, (_, i) => view.getInt32(i * 4, true));
  return { length: bytes.length, words, tail: bytes.slice(count * 4) };
}

/** The end of a JSON string without escapes, given the start of its contents; or -1. */
export function plainString(buffer: Buffer, p: number): number {
  for (let i = p; i < buffer.length; i++) {
    const byte = buffer[i] as number;
    if (byte === QUOTE) return i;
    if (byte === BACKSLASH || byte < 0x20) return -1;
  }
  return -1;
}

/** The end of an unsigned number that starts at p and is followed by a comma; or -1. */
export function plainNumber(buffer: Buffer, p: number): number {
  for (let i = p; i < buffer.length; i++) {
    const byte = buffer[i] as number;
    if (byte === COMMA) return i === p ? -1 : i;
    if ((byte < ZERO || byte > NINE) && (byte !== DOT || i === p)) return -1;
  }
  return -1;
}

/** Whether the buffer has the wanted bytes at a position. @param view of the same buffer */
export function matchesAt(
  buffer: Buffer,
  view: DataView,
  position: number,
  wanted: Literal,
): boolean {
  const { words, tail } = wanted;
  if (position + wanted.length > buffer.length) return false;
  let p = position;
  for (let i = 0; i < words.length; i++, p += 4) {
    if (view.getInt32(p, true) !== words[i]) return false;
  }
  for (let i = 0; i < tail.length; i++, p++) if (buffer[p] !== tail[i]) return false;
  return true;
}
