/**
 * The fast path: recognises lines in the shape that Caddy writes by default, and finds host, status
 * and time in them without decoding them. It is fast because it skips headers and TLS details with
 * byte searches; any line that does not have exactly this shape is left to JSON.parse.
 *
 * The shape (the parts in brackets may be missing, headers come in any order):
 *
 *     {"level":"…","ts":N,"logger":"http.log.access…","msg":"handled request",
 *      "request":{"remote_ip":"…",…,"host":"…","uri":"…","headers":{…}[,"tls":{…}]},
 *      ["bytes_read":N,]"user_id":"…","duration":N,"size":N,"status":N,"resp_headers":{…}}
 *
 * Why the result is right although headers are skipped: between `"request":{` and the end of the
 * line, an object that closes before another key reads `},"`, which cannot occur in a JSON string
 * (its quote would be escaped). The scanner accepts exactly those of this shape, so every brace is
 * accounted for and `status` belongs to the root. The line has to end in `"]}}` with a closing
 * quote, which excludes a line cut off inside a header. And the start of a line must not occur
 * within it, which excludes a torn line with another line written after it.
 */
import { BACKSLASH, CLOSE, literal, matchesAt, plainNumber, plainString } from './bytes.ts';
import { CHECK_AGENT, CHECK_WORD_LENGTH } from './entry.ts';
import { readHost, readLatency, readStatus, readTime, type ScannedLine } from './scanned-line.ts';

type Scanner = {
  /** The line that `scan` recognised last. */
  readonly line: ScannedLine;
  /** Sets the buffer to scan; also needed when its bytes have changed. */
  open(bytes: Buffer): void;
  /**
   * Scans the line in [start, end), which holds no newline and is followed by one. Returns false
   * if it does not have the default shape; it may be an access entry all the same.
   */
  scan(start: number, end: number): boolean;
};

// Replaces -1, the result of a search, to mean "after everything". A 32-bit integer: a larger
// number would prevent integer arithmetic and halve the speed of the scan.
const NOWHERE = 0x7fffffff;
// `"]}}` as a little-endian word: the ends of the last header, of resp_headers and of the line.
const LINE_END = 0x7d7d5d22;
// Bytes before an opening quote: after one of them, `"]}}` would be inside a string.
const BEFORE_OPENING = [0x5c, 0x5b, 0x2c, 0x3a, 0x7b];

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
const CHECK = Buffer.from(`"User-Agent":["${CHECK_AGENT}`);
const CHECK_END = literal('"]');

export function createScanner(): Scanner {
  let buffer: Buffer = Buffer.alloc(0);
  let view: DataView = new DataView(buffer.buffer);
  const line: ScannedLine = {
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
    headersStart: 0,
    headersEnd: 0,
    checkWordStart: -1,
  };
  // The next `},"`: searched for once, used by the line that holds it.
  let nextKey = -1;
  // The next user agent of a check, likewise.
  let nextCheck = -1;
  // The next NUL: a crash may leave a hole of them in the middle of a line.
  let nul = -1;

  function find(wanted: Buffer | number, from: number): number {
    const position = buffer.indexOf(wanted, from);
    return position < 0 ? NOWHERE : position;
  }

  // From the address to the key of the host; NOWHERE if there is none.
  function scanClient(start: number): number {
    let p = plainString(buffer, start);
    line.ipStart = start;
    line.ipEnd = p;
    line.methodStart = NOWHERE;
    if (p >= 0 && matchesAt(buffer, view, p, REMOTE_PORT)) {
      p = plainString(buffer, p + REMOTE_PORT.length);
    }
    if (p >= 0 && matchesAt(buffer, view, p, CLIENT_IP)) {
      line.ipStart = p + CLIENT_IP.length;
      p = plainString(buffer, line.ipStart);
      line.ipEnd = p;
    }
    if (p >= 0 && matchesAt(buffer, view, p, PROTO)) p = plainString(buffer, p + PROTO.length);
    if (p >= 0 && matchesAt(buffer, view, p, METHOD)) {
      const methodStart = p + METHOD.length;
      p = plainString(buffer, methodStart);
      if (p >= 0 && matchesAt(buffer, view, p, HOST_KEY)) {
        line.methodStart = methodStart;
        return p;
      }
    }
    return find(HOST, start);
  }

  // From the start of the line to the end of its `"headers":{`; or -1.
  function scanRequest(start: number): number {
    if (!matchesAt(buffer, view, start, LEVEL)) return -1;
    let p = plainString(buffer, start + LEVEL.length);
    if (p < 0 || !matchesAt(buffer, view, p, TS)) return -1;
    p = readTime(buffer, p + TS.length, line);
    if (p < 0 || !matchesAt(buffer, view, p, LOGGER)) return -1;
    p = plainString(buffer, p + LOGGER.length);
    if (p < 0 || !matchesAt(buffer, view, p, REQUEST)) return -1;
    p += REQUEST.length;
    // The first object must not close before the headers have started, and so not before the host.
    if (nextKey < p) nextKey = find(NEXT_KEY, p);
    p = scanClient(p);
    if (p > nextKey) return -1;
    p = readHost(buffer, p + HOST.length, line);
    if (p < 0 || !matchesAt(buffer, view, p, URI)) return -1;
    p += URI.length;
    line.uriStart = p;
    p = plainString(buffer, p);
    line.uriEnd = p;
    return p < 0 || !matchesAt(buffer, view, p, HEADERS) || p > nextKey ? -1 : p + HEADERS.length;
  }

  // From the last `}` of the request to the end of `"resp_headers":{`; or -1.
  function scanResponse(brace: number): number {
    if (buffer[brace - 1] !== CLOSE || buffer[brace - 2] === CLOSE) return -1;
    let p = brace + NEXT_KEY.length;
    if (matchesAt(buffer, view, p, BYTES_READ)) {
      p = plainNumber(buffer, p + BYTES_READ.length);
      if (p < 0 || !matchesAt(buffer, view, p, NEXT_USER_ID)) return -1;
      p = plainString(buffer, p + NEXT_USER_ID.length);
    } else {
      if (!matchesAt(buffer, view, p, USER_ID)) return -1;
      p = plainString(buffer, p + USER_ID.length);
    }
    if (p < 0 || !matchesAt(buffer, view, p, DURATION)) return -1;
    p = readLatency(buffer, p + DURATION.length, line);
    if (p < 0 || !matchesAt(buffer, view, p, SIZE)) return -1;
    p = plainNumber(buffer, p + SIZE.length);
    if (p < 0 || !matchesAt(buffer, view, p, STATUS)) return -1;
    p = readStatus(buffer, p + STATUS.length, line);
    return p < 0 || !matchesAt(buffer, view, p, RESP_HEADERS) ? -1 : p + RESP_HEADERS.length;
  }

  // In the headers, which are in [from, to).
  function findCheckWord(from: number, to: number): number {
    if (nextCheck < from) nextCheck = find(CHECK, from);
    const start = nextCheck + CHECK.length;
    // A quote with a backslash is inside a name.
    return nextCheck < to &&
      buffer[nextCheck - 1] !== BACKSLASH &&
      matchesAt(buffer, view, start + CHECK_WORD_LENGTH, CHECK_END)
      ? start
      : -1;
  }

  return {
    line,

    open(bytes) {
      buffer = bytes;
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      nextKey = -1;
      nextCheck = -1;
      nul = -1;
    },

    scan(from, to) {
      // The engine may hold numbers computed from offsets in a segment as floats.
      const start = from | 0;
      const end = to | 0;
      if (nul < start) nul = find(0, start);
      let p = scanRequest(start);
      if (p < 0 || nextKey >= end || nul < end) return false;
      line.headersStart = p;
      line.headersEnd = nextKey;
      line.checkWordStart = findCheckWord(p, nextKey);
      let brace = nextKey;
      if (matchesAt(buffer, view, brace + NEXT_KEY.length, TLS)) {
        if (buffer[brace - 1] === CLOSE) return false;
        brace = find(NEXT_KEY, brace + NEXT_KEY.length);
        if (brace >= end) return false;
      }
      p = scanResponse(brace);
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
