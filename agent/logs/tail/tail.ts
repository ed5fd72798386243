/** Streams what is written to a log as server-sent events. */
import { createEndableStreams, within } from '../../../src/shared/async.ts';
import { type Conditions, factsTest } from '../answers/filter.ts';
import { formatPosition, type LogPosition } from '../files/log-position.ts';
import { toEntry } from '../line/entry.ts';
import { type Batch, follow } from './follow.ts';

type Tails = {
  /** The matching entries that are written from now on or after a position. */
  open(conditions: Conditions, after: LogPosition | undefined): ReadableStream<Uint8Array>;
  /**
   * Ends all of them, and any that is opened later at once.
   * @returns how many have a reader that has stopped reading and may never see the end
   */
  end(): number;
  /** How many are open. */
  count(): number;
};

const HEARTBEAT_MS = 15_000;
const MAX_LAG_BYTES = 16 << 20;

/**
 * @param file the path of the live file
 * @param heartbeat milliseconds of silence after which a comment shows that the stream is alive
 * @param maxLag how many bytes of the log a reader may fall behind before it misses entries
 */
export function createTails(file: string, heartbeat = HEARTBEAT_MS, maxLag = MAX_LAG_BYTES): Tails {
  const streams = createEndableStreams();
  const encoder = new TextEncoder();

  return {
    open(conditions, after) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const isWanted = factsTest(conditions);
      const batches = follow(file, after, signal, isWanted, maxLag);
      const events = createEventWriter(after);
      let pending: Promise<IteratorResult<Batch, void>> | undefined;

      async function next(): Promise<string | undefined> {
        const due = performance.now() + heartbeat;
        for (;;) {
          pending ??= batches.next();
          const result = await within(pending, due - performance.now(), () => undefined);
          if (!result) return events.heartbeat();
          pending = undefined;
          if (result.done) return undefined;
          const text = events.write(result.value);
          if (text !== '') return text;
        }
      }

      return streams.open({
        head: encoder.encode('retry: 1000\n\n'),
        async next() {
          const text = await next();
          return text === undefined ? undefined : encoder.encode(text);
        },
        stop() {
          stopping.abort();
          // Closes the file at once if the generator is paused, and else when it sees the signal.
          batches.return(undefined).catch(() => undefined);
        },
      });
    },
    end: streams.end,
    count: streams.count,
  };
}

/** Writes batches as events. The id of an event is the position after it, sent only if it is new. */
function createEventWriter(after: LogPosition | undefined) {
  let sentId = '';
  let currentId = after ? formatPosition(after) : '';

  function id(): string {
    if (sentId === currentId) return '';
    sentId = currentId;
    return `id: ${currentId}\n`;
  }

  return {
    heartbeat: () => `: still here\n${id()}\n`,

    write({ entries, missed, position }: Batch): string {
      let text = '';
      if (missed !== undefined && missed !== 0) {
        if (position) currentId = formatPosition(position);
        // The segment has been removed. The next batch says where reading continues.
        else [sentId, currentId] = ['', ''];
        text += `${id()}event: gap\ndata: ${JSON.stringify({ missed })}\n\n`;
      }
      for (const entry of entries) {
        currentId = formatPosition(entry.position);
        text += `${id()}event: entry\ndata: ${JSON.stringify(toEntry(entry.facts))}\n\n`;
      }
      if (position) currentId = formatPosition(position);
      // The position at the start, so that a reader can resume from it before anything is written.
      return text === '' && sentId === '' && currentId !== '' ? `${id()}\n` : text;
    },
  };
}
