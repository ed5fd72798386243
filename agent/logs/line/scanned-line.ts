/** What the scanner finds in a line, and how it reads the values. */
import { plainAddressHash } from './address.ts';
import { BACKSLASH, COMMA, DOT, NINE, QUOTE, ZERO } from './bytes.ts';
import type { RequestFacts } from './entry.ts';
import { parseDuration } from './time-values.ts';

/** The values of a line, and the offsets of others in the buffer; overwritten by the next line. */
export type ScannedLine = {
  hostStart: number;
  hostEnd: number;
  /** Made of the bytes of the host with `hashByte`, starting with `HASH_SEED`. */
  hostHash: number;
  status: number;
  /** Milliseconds since 1970. */
  time: number;
  /** Milliseconds. */
  latency: number;
  ipStart: number;
  ipEnd: number;
  /** The method ends at the key of the host. Beyond that if the members are in another order. */
  methodStart: number;
  uriStart: number;
  uriEnd: number;
  /** The headers of the request are within [headersStart, headersEnd). */
  headersStart: number;
  headersEnd: number;
  /** Where the word of a check starts (see `CHECK_AGENT`); -1 if the request was none. */
  checkWordStart: number;
};

// Each of the following reads the value at `p` into the line and returns where it ends, or -1.

/** Reads `seconds.fraction`, followed by a comma. The fraction is cut to milliseconds. */
export function readTime(buffer: Buffer, p: number, line: ScannedLine): number {
  let time = 0;
  let dot = 0;
  let i = p;
  for (; ; i++) {
    const byte = buffer[i] as number;
    if (byte === DOT && dot === 0) dot = i;
    else if (byte < ZERO || byte > NINE) break;
    else if (dot === 0 || i - dot <= 3) time = time * 10 + (byte - ZERO);
  }
  // Times from 2001 to 2286 have ten digits of seconds.
  if (buffer[i] !== COMMA || dot - p !== 10 || i - dot < 4 || buffer[p] === ZERO) return -1;
  line.time = time;
  return i;
}

/** Reads an unsigned number, followed by a comma. */
export function readLatency(buffer: Buffer, p: number, line: ScannedLine): number {
  let digits = 0;
  let dot = -1;
  let i = p;
  for (; ; i++) {
    const byte = buffer[i] as number;
    if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
    else if (byte === DOT && dot < 0 && i > p) dot = i;
    else break;
  }
  if (buffer[i] !== COMMA || i === p || dot === i - 1) return -1;
  // As exact as JSON.parse as long as the digits and the power of ten fit into a float.
  const value =
    i - p > 16
      ? Number(buffer.toString('latin1', p, i))
      : dot < 0
        ? digits
        : digits / (POWERS[i - dot - 1] as number);
  line.latency = parseDuration(value);
  return i;
}

const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Reads one to three digits, without a leading zero unless it is 0 itself. */
export function readStatus(buffer: Buffer, p: number, line: ScannedLine): number {
  let status = 0;
  let i = p;
  for (; i < p + 4; i++) {
    const byte = buffer[i] as number;
    if (byte < ZERO || byte > NINE) break;
    status = status * 10 + byte - ZERO;
  }
  if (i === p || i > p + 3 || (buffer[p] === ZERO && i > p + 1)) return -1;
  line.status = status;
  return i;
}

/** Reads a host of printable ASCII, up to its closing quote. */
export function readHost(buffer: Buffer, p: number, line: ScannedLine): number {
  let hash = HASH_SEED;
  let i = p;
  for (; ; i++) {
    const byte = buffer[i] as number;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH || !(byte > 0x20 && byte < 0x7f)) return -1;
    hash = hashByte(hash, byte);
  }
  line.hostStart = p;
  line.hostEnd = i;
  line.hostHash = hash;
  return i;
}

/** Random for each process, so that nobody can prepare hosts that collide. */
export const HASH_SEED = (Math.random() * 2 ** 32) | 0;

/** Adds a byte to a hash (FNV-1a). */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

const HOST_KEY_LENGTH = '","host":"'.length;
const QUESTION_MARK = 0x3f;

/** Whether address and method are in their usual place. */
export const isUsual = ({ methodStart, hostStart }: ScannedLine): boolean =>
  methodStart <= hostStart;

/** As `plainAddressHash`; undefined also if the address is not in its usual place. */
export function scannedAddressHash(buffer: Buffer, line: ScannedLine): number | undefined {
  return isUsual(line) ? plainAddressHash(buffer, line.ipStart, line.ipEnd) : undefined;
}

/** The address of a scanned line; undefined if it is not in its usual place. */
export const scannedAddress = (buffer: Buffer, line: ScannedLine): string | undefined =>
  isUsual(line) ? buffer.toString('utf8', line.ipStart, line.ipEnd) : undefined;

/** Method, path and address of a scanned line; undefined if they are not in their usual place. */
export function requestFacts(buffer: Buffer, line: ScannedLine): RequestFacts | undefined {
  const { ipStart, ipEnd, methodStart, hostStart, uriStart, uriEnd } = line;
  if (!isUsual(line)) return undefined;
  let pathEnd = uriStart;
  while (pathEnd < uriEnd && buffer[pathEnd] !== QUESTION_MARK) pathEnd++;
  return {
    method: buffer.toString('utf8', methodStart, hostStart - HOST_KEY_LENGTH),
    path: buffer.toString('utf8', uriStart, pathEnd),
    ip: buffer.toString('utf8', ipStart, ipEnd),
  };
}
