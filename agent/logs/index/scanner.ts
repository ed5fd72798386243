/**
 * The fast path: recognises a line in the shape Caddy writes by default, and finds host, status
 * and time in it without decoding it. Speed comes from byte searches over what lies between the
 * known parts (headers, TLS details); whatever is not exactly as expected is left to JSON.parse.
 *
 * The shape (the parts in brackets may be missing, headers come in any order):
 *
 *     {"level":"…","ts":N,"logger":"http.log.access…","msg":"handled request",
 *      "request":{"remote_ip":"…",…,"host":"…","uri":"…","headers":{…}[,"tls":{…}]},
 *      ["bytes_read":N,]"user_id":"…","duration":N,"size":N,"status":N,"resp_headers":{…}}
 *
 * Why a match is the truth although headers are skipped: between `"request":{` and the end of
 * the line an object that closes before a further key reads `},"`, which no JSON string can
 * hold (its quote would be escaped). The scanner wants exactly the ones of this shape, so every
 * brace is accounted for and `status` belongs to the root. The line has to end in `"]}}` with a
 * closing quote, so one that was cut inside a header is refused; and the beginning of a line
 * must not occur within it, so a torn line that another one was written behind is refused too.
 */

import {
  at,
  BACKSLASH,
  CLOSE,
  COMMA,
  DOT,
  literal,
  NINE,
  plainNumber,
  plainString,
  QUOTE,
  ZERO,
} from './bytes.ts';
import { parseDuration } from './time-values.ts';

/** Where a recognised line keeps what the index counts; valid until the next `scan`. */
export type Scanned = {
  hostStart: number;
  hostEnd: number;
  /** `hashHost` of the bytes of the host. */
  hostHash: number;
  status: number;
  /** Milliseconds since 1970. */
  time: number;
  /** Milliseconds. */
  latency: number;
  /**
   * Address and method, the latter up to the key of the host. Not to be used where methodStart
   * is beyond the buffer: they stand otherwise than Caddy writes them.
   */
  ipStart: number;
  ipEnd: number;
  methodStart: number;
  uriStart: number;
  uriEnd: number;
};

export type Scanner = {
  readonly found: Scanned;
  /** Turns to a buffer; also needed when the bytes in it have changed. */
  open(bytes: Buffer): void;
  /**
   * Looks at the line in [start, end), which holds no newline and is followed by one. False: not
   * the default shape, which says nothing about whether it is an entry.
   */
  scan(start: number, end: number): boolean;
};

// Stands for -1, the answer of a search, where "after everything" is meant. A 32-bit integer:
// a larger number would cost the scan its integer arithmetic and half its speed.
const NOWHERE = 0x7fffffff;
// `"]}}` as a little-endian word: the last header's value, resp_headers and the line.
const LINE_END = 0x7d7d5d22;
// What may stand before an opening quote: `"]}}` after one of these would be inside a string.
const BEFORE_OPENING = [0x5c, 0x5b, 0x2c, 0x3a, 0x7b];

const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

const LEVEL = literal('{"level":"');
const TS = literal('","ts":');
const LOGGER = literal(',"logger":"http.log.access');
const REQUEST = literal('","msg":"handled request","request":{"remote_ip":"');
const REMOTE_PORT = literal('","remote_port":"');
const CLIENT_IP = literal('","client_ip":"');
const PROTO = literal('","proto":"');
const METHOD = literal('","method":"');
const HOST_KEY = literal('","host":"');
const URI = literal('","uri":"');
const HEADERS = literal('","headers":{');
const TLS = literal('tls":{');
const BYTES_READ = literal('bytes_read":');
const NEXT_USER_ID = literal(',"user_id":"');
const USER_ID = literal('user_id":"');
const DURATION = literal('","duration":');
const SIZE = literal(',"size":');
const STATUS = literal(',"status":');
const RESP_HEADERS = literal(',"resp_headers":{');

const LINE_START = Buffer.from('{"level":"');
const HOST = Buffer.from('","host":"');
const NEXT_KEY = Buffer.from('},"');

/** Continues with one byte of a host; begin with `HASH_SEED`. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

// Per process, so that nobody can prepare hosts that collide.
export const HASH_SEED = (Math.random() * 2 ** 32) | 0;

export function createScanner(): Scanner {
  let buffer: Buffer = Buffer.alloc(0);
  let view: DataView = new DataView(buffer.buffer);
  const found: Scanned = {
    hostStart: 0,
    hostEnd: 0,
    hostHash: 0,
    status: 0,
    time: 0,
    latency: 0,
    ipStart: 0,
    ipEnd: 0,
    methodStart: NOWHERE,
    uriStart: 0,
    uriEnd: 0,
  };
  // Where the next `},"` is: looked for once, used by the line that holds it.
  let nextKey = -1;
  // Where the next NUL is: a crash may leave a hole of them in the middle of a line.
  let nul = -1;

  function find(wanted: Buffer | number, from: number): number {
    const position = buffer.indexOf(wanted, from);
    return position < 0 ? NOWHERE : position;
  }

  // Reads `seconds.fraction`, the fraction cut to milliseconds; its end, or -1.
  function readTime(p: number): number {
    let time = 0;
    let dot = 0;
    let i = p;
    for (; ; i++) {
      const byte = buffer[i] as number;
      if (byte === DOT && dot === 0) dot = i;
      else if (byte < ZERO || byte > NINE) break;
      else if (dot === 0 || i - dot <= 3) time = time * 10 + (byte - ZERO);
    }
    // Ten digits of seconds is every time from 2001 to 2286.
    if (buffer[i] !== COMMA || dot - p !== 10 || i - dot < 4 || buffer[p] === ZERO) return -1;
    found.time = time;
    return i;
  }

  // Reads the host at p, which has to be printable ASCII; its end, or -1.
  function readHost(p: number): number {
    let hash = HASH_SEED;
    let i = p;
    for (; ; i++) {
      const byte = buffer[i] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH || !(byte > 0x20 && byte < 0x7f)) return -1;
      hash = hashByte(hash, byte);
    }
    found.hostStart = p;
    found.hostEnd = i;
    found.hostHash = hash;
    return i;
  }

  // From the address to where the key of the host begins; NOWHERE if there is none.
  function readSender(start: number): number {
    let p = plainString(buffer, start);
    found.ipStart = start;
    found.ipEnd = p;
    found.methodStart = NOWHERE;
    if (p >= 0 && at(buffer, view, p, REMOTE_PORT)) p = plainString(buffer, p + REMOTE_PORT.length);
    if (p >= 0 && at(buffer, view, p, CLIENT_IP)) {
      found.ipStart = p + CLIENT_IP.length;
      p = plainString(buffer, found.ipStart);
      found.ipEnd = p;
    }
    if (p >= 0 && at(buffer, view, p, PROTO)) p = plainString(buffer, p + PROTO.length);
    if (p >= 0 && at(buffer, view, p, METHOD)) {
      const methodStart = p + METHOD.length;
      p = plainString(buffer, methodStart);
      if (p >= 0 && at(buffer, view, p, HOST_KEY)) {
        found.methodStart = methodStart;
        return p;
      }
    }
    return find(HOST, start);
  }

  // From the start of the line to its `"headers":{`; the end of that, or -1.
  function readRequest(start: number): number {
    if (!at(buffer, view, start, LEVEL)) return -1;
    let p = plainString(buffer, start + LEVEL.length);
    if (p < 0 || !at(buffer, view, p, TS)) return -1;
    p = readTime(p + TS.length);
    if (p < 0 || !at(buffer, view, p, LOGGER)) return -1;
    p = plainString(buffer, p + LOGGER.length);
    if (p < 0 || !at(buffer, view, p, REQUEST)) return -1;
    p += REQUEST.length;
    // The first object that closes must do so after the headers began, hence after the host.
    if (nextKey < p) nextKey = find(NEXT_KEY, p);
    p = readSender(p);
    if (p > nextKey) return -1;
    p = readHost(p + HOST.length);
    if (p < 0 || !at(buffer, view, p, URI)) return -1;
    p += URI.length;
    found.uriStart = p;
    p = plainString(buffer, p);
    found.uriEnd = p;
    return p < 0 || !at(buffer, view, p, HEADERS) || p > nextKey ? -1 : p + HEADERS.length;
  }

  // From the end of the request, at its last `}`, to the opened `"resp_headers":{`; or -1.
  function readOutcome(brace: number): number {
    if (buffer[brace - 1] !== CLOSE || buffer[brace - 2] === CLOSE) return -1;
    let p = brace + NEXT_KEY.length;
    if (at(buffer, view, p, BYTES_READ)) {
      p = plainNumber(buffer, p + BYTES_READ.length);
      if (p < 0 || !at(buffer, view, p, NEXT_USER_ID)) return -1;
      p = plainString(buffer, p + NEXT_USER_ID.length);
    } else {
      if (!at(buffer, view, p, USER_ID)) return -1;
      p = plainString(buffer, p + USER_ID.length);
    }
    if (p < 0 || !at(buffer, view, p, DURATION)) return -1;
    p = readLatency(p + DURATION.length);
    if (p < 0 || !at(buffer, view, p, SIZE)) return -1;
    p = plainNumber(buffer, p + SIZE.length);
    if (p < 0 || !at(buffer, view, p, STATUS)) return -1;
    p = readStatus(p + STATUS.length);
    return p < 0 || !at(buffer, view, p, RESP_HEADERS) ? -1 : p + RESP_HEADERS.length;
  }

  // Reads an unsigned number with a comma behind it; its end, or -1.
  function readLatency(p: number): number {
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
    // As exact as JSON.parse while digits and power of ten fit a float.
    const value =
      i - p > 16
        ? Number(buffer.toString('latin1', p, i))
        : dot < 0
          ? digits
          : digits / (POWERS[i - dot - 1] as number);
    found.latency = parseDuration(value);
    return i;
  }

  // One to three digits, no leading zero unless it is 0 itself; the end, or -1.
  function readStatus(p: number): number {
    let status = 0;
    let i = p;
    for (; i < p + 4; i++) {
      const byte = buffer[i] as number;
      if (byte < ZERO || byte > NINE) break;
      status = status * 10 + byte - ZERO;
    }
    if (i === p || i > p + 3 || (buffer[p] === ZERO && i > p + 1)) return -1;
    found.status = status;
    return i;
  }

  return {
    found,

    open(bytes) {
      buffer = bytes;
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      nextKey = -1;
      nul = -1;
    },

    scan(from, to) {
      // What was computed from offsets in a segment may be a float to the engine.
      const start = from | 0;
      const end = to | 0;
      if (nul < start) nul = find(0, start);
      let p = readRequest(start);
      if (p < 0 || nextKey >= end || nul < end) return false;
      let brace = nextKey;
      if (at(buffer, view, brace + NEXT_KEY.length, TLS)) {
        if (buffer[brace - 1] === CLOSE) return false;
        brace = find(NEXT_KEY, brace + NEXT_KEY.length);
        if (brace >= end) return false;
      }
      p = readOutcome(brace);
      if (p < 0 || p > end) return false;
      nextKey = find(NEXT_KEY, p);
      return (
        nextKey >= end &&
        view.getInt32(end - 4, true) === LINE_END &&
        !BEFORE_OPENING.includes(buffer[end - 5] as number) &&
        find(LINE_START, start + 1) >= end
      );
    },
  };
}
