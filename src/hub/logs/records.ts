/** Reads the records of an export one by one. */
import { LONGEST_ENTRY } from '../agents/bounds.ts';

/** A record without its end, and its time in milliseconds; infinitely early without one. */
type LogRecord = { time: number; text: string };

export type Records = {
  /** The next record, if it has arrived; `undefined` until `load` has brought more, null at the end. */
  peek(): LogRecord | undefined | null;
  /** Goes on to the one after it. */
  skip(): void;
  /** Waits for more. @throws what the stream fails with, and if a record is too long */
  load(): Promise<void>;
};

export type RecordFormat = {
  /** What a record ends with. */
  end: string;
  /** The first record is the names of the fields. */
  hasHead: boolean;
  /** The end of the first record after an offset of a text, and the start of the next one. */
  split(text: string, from: number): [end: number, next: number] | undefined;
  /** The record with one more field. */
  extend(record: string, name: string, value: string): string;
};

export const NDJSON: RecordFormat = {
  end: '\n',
  hasHead: false,
  split(text, from) {
    const end = text.indexOf('\n', from);
    return end < 0 ? undefined : [end, end + 1];
  },
  extend: (record, name, value) =>
    `${record.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`,
};

/** RFC 4180, as the agent writes it. */
export const CSV: RecordFormat = {
  end: '\r\n',
  hasHead: true,
  split(text, from) {
    for (let end = from; ; ) {
      end = text.indexOf('\r\n', end);
      if (end < 0) return undefined;
      // Between quotes, it is a part of a field.
      if (isClosed(text, from, end)) return [end, end + 2];
      end += 2;
    }
  },
  // Names of agents need no quotes.
  extend: (record, _, value) => `${record},${value}`,
};

function isClosed(text: string, from: number, end: number): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"', from); at >= 0 && at < end; at = text.indexOf('"', at + 1)) {
    quotes++;
  }
  return quotes % 2 === 0;
}

/** In both formats, the time comes first. */
const TIME = /^(?:\{"timestamp":")?([^",]*)/;

export function createRecords(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  { split }: RecordFormat,
): Records {
  const decoder = new TextDecoder();
  let text = '';
  // Where the next record starts.
  let start = 0;
  let isOver = false;
  let current: LogRecord | undefined;
  let next = 0;

  return {
    peek() {
      if (current) return current;
      const found = split(text, start);
      if (!found) return isOver ? null : undefined;
      next = found[1];
      const record = text.slice(start, found[0]);
      const time = Date.parse(TIME.exec(record)?.[1] ?? '');
      current = { text: record, time: Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time };
      return current;
    },
    skip() {
      current = undefined;
      start = next;
    },
    async load() {
      if (text.length - start > LONGEST_ENTRY) throw new Error('an entry of the agent is too long');
      const { done, value } = await reader.read();
      text = text.slice(start) + decoder.decode(value, { stream: !done });
      start = 0;
      isOver = done;
    },
  };
}
