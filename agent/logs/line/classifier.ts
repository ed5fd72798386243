/** Decides which lines are access entries, with the scanner if possible and else with JSON.parse. */
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
import { addressHash } from './address.ts';
import {
  CHECK_WORD_LENGTH,
  type EntryFacts,
  entryFacts,
  hostKey,
  type RequestFacts,
  readEntry,
  shownHost,
  toEntry,
} from './entry.ts';
import { identityOf, lineRequest, scannedIdentity } from './line-request.ts';
import type { Pairs } from './pairs.ts';
import { requestFacts, scannedAddress, scannedAddressHash } from './scanned-line.ts';
import { createScanner } from './scanner.ts';
import { createUserAgentFinder } from './user-agent.ts';

/**
 * The access entry that was classified last. The same object for every entry: it is valid until the
 * next one is classified, and must not be kept.
 */
export type EntryCursor = {
  /** The line without its newline is [start, end) of the buffer. */
  readonly start: number;
  readonly end: number;
  /** The number of its domain, its status and whether it is a check, see `Pairs`. */
  readonly pair: number;
  /** Milliseconds since 1970, or NaN. */
  readonly time: number;
  /** Milliseconds. */
  readonly latency: number;
  /** The line's text. */
  line(): string;
  /** Whether the line has these bytes: much faster than its text. */
  has(bytes: Buffer): boolean;
  request(): RequestFacts;
  /** The address of `request` alone. */
  ip(): string;
  /** Empty if the request had none. */
  userAgent(): string;
  /** As `addressHash` makes it of the request's address. */
  addressHash(): number;
  /** As `identityOf` makes it of its request; undefined as `facts`. */
  identity(): string | undefined;
  /** All facts, by JSON.parse; undefined if only the scanner takes the line for an entry. */
  facts(): EntryFacts | undefined;
  /** The entry as it is sent to clients. @param details as of `readEntry`; null as it returns it */
  shown(details: boolean): LogEntry | null;
};

export type Classifier = {
  /** Sets the buffer that lines are in; also needed when its bytes have changed. */
  open(bytes: Buffer): void;
  /**
   * The entry in [start, end) of the buffer; undefined if the line is not an access entry.
   * @param pairs of the segment that the line is in
   * @param ended a newline follows, which the scanner relies on
   */
  classify(pairs: Pairs, start: number, end: number, ended: boolean): EntryCursor | undefined;
};

/**
 * Whether a request was a check: if an agent used its word at that time (in milliseconds since 1970, or NaN), and
 * it came from an address of the machine, as the log names its client.
 */
export type IsCheck = (word: string, time: number, address: string) => boolean;

export function createClassifier(isCheck: IsCheck): Classifier {
  const scanner = createScanner();
  const userAgents = createUserAgentFinder();
  const { line } = scanner;
  let buffer: Buffer = Buffer.alloc(0);
  // The facts of the line, if they have been needed so far.
  let parsed: EntryFacts | undefined;
  let userAgent: string | undefined;

  const cursor: { -readonly [Name in keyof EntryCursor]: EntryCursor[Name] } = {
    start: 0,
    end: 0,
    pair: 0,
    time: Number.NaN,
    latency: 0,
    line: () => buffer.toString('utf8', cursor.start, cursor.end),
    has: (bytes) => buffer.subarray(cursor.start, cursor.end).includes(bytes),
    facts: () => (parsed ??= entryFacts(cursor.line())),
    // Without facts, the headers are damaged in a way that the scanner does not notice.
    request: () =>
      parsed ?? requestFacts(buffer, line) ?? cursor.facts() ?? { method: '', path: '', ip: '' },
    ip: () => parsed?.ip ?? scannedAddress(buffer, line) ?? cursor.request().ip,
    userAgent: () =>
      (userAgent ??=
        (parsed ? undefined : userAgents.find(line)) ?? cursor.facts()?.userAgent ?? ''),
    identity() {
      const scanned = parsed ? undefined : scannedIdentity(buffer, line);
      if (scanned !== undefined) return scanned;
      const request = lineRequest(cursor.line());
      return request && identityOf(request);
    },
    shown(details) {
      const request = details || parsed ? undefined : requestFacts(buffer, line);
      if (!request) return readEntry(cursor.line(), details);
      const { hostStart, hostEnd, status, time, latency } = line;
      const domain = shownHost(buffer.toString('latin1', hostStart, hostEnd));
      return toEntry({ ...request, domain, status, time, latency });
    },
    addressHash: () =>
      (parsed ? undefined : scannedAddressHash(buffer, line)) ?? addressHash(cursor.request().ip),
  };

  function isScannedCheck(): boolean {
    const { checkWordStart: start, time } = line;
    if (start < 0) return false;
    const word = buffer.toString('latin1', start, start + CHECK_WORD_LENGTH);
    return isCheck(word, time, cursor.request().ip);
  }

  return {
    open(bytes) {
      buffer = bytes;
      scanner.open(bytes);
      userAgents.open(bytes);
    },

    classify(pairs, start, end, ended) {
      cursor.start = start;
      cursor.end = end;
      parsed = undefined;
      userAgent = undefined;
      if (ended && scanner.scan(start, end)) {
        const { hostStart, hostEnd, hostHash, status } = line;
        cursor.pair = isScannedCheck()
          ? pairs.ofKey(hostKey(buffer.toString('latin1', hostStart, hostEnd)), status, true)
          : pairs.ofBytes(buffer, hostStart, hostEnd, hostHash, status);
        cursor.time = line.time;
        cursor.latency = line.latency;
        return cursor;
      }
      parsed = entryFacts(buffer.toString('utf8', start, end));
      if (!parsed) return undefined;
      const { key, status, checkWord, time, ip } = parsed;
      cursor.pair = pairs.ofKey(key, status, checkWord !== null && isCheck(checkWord, time, ip));
      cursor.time = time;
      cursor.latency = parsed.latency;
      return cursor;
    },
  };
}
