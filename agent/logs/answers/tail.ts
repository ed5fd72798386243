import { type Place, showPlace } from '../files/log-position.ts';
import { toEntry } from '../index/entry.ts';
import { type Conditions, factsTest } from './filter.ts';
import { type Batch, follow } from './follow.ts';

/** Event streams of what is written to a log from now on, or from a place on. */
export type Tails = {
  open(conditions: Conditions, after: Place | undefined): ReadableStream<Uint8Array>;
  /**
   * Ends all of them, and those that are opened later at once.
   * @returns how many have a reader that does not take what there is, and may never see the end
   */
  end(): number;
  /** How many are open. */
  count(): number;
};

export type TailsOptions = {
  file: string;
  /** Milliseconds between signs of life. */
  heartbeat?: number;
  /** Bytes of the log that a reader may fall behind. */
  maxLag?: number;
};

const HEARTBEAT_MS = 15_000;
const MAX_LAG_BYTES = 16 << 20;

export function createTails({
  file,
  heartbeat = HEARTBEAT_MS,
  maxLag = MAX_LAG_BYTES,
}: TailsOptions): Tails {
  const open = new Set<() => boolean>();
  let isOver = false;

  return {
    open(conditions, after) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const isWanted = factsTest(conditions);
      const batches = follow({ file, after, isWanted, signal, maxLag });
      const encoder = new TextEncoder();
      let pending: Promise<IteratorResult<Batch, void>> | undefined;
      let isPulled = false;
      // The place that the reader knows, and the one that we know.
      let told = '';
      let known = after ? showPlace(after) : '';

      function remember(): string {
        if (told === known) return '';
        told = known;
        return `id: ${known}\n`;
      }

      function write({ entries, missed, place }: Batch): string {
        let text = '';
        if (missed !== undefined) {
          if (place) known = showPlace(place);
          // Nothing is left of where it was; where it goes on comes next.
          else [told, known] = ['', ''];
          text += `${remember()}event: gap\ndata: ${JSON.stringify({ missed })}\n\n`;
        }
        for (const { facts, place: behind } of entries) {
          known = showPlace(behind);
          text += `${remember()}event: entry\ndata: ${JSON.stringify(toEntry(facts))}\n\n`;
        }
        if (place) known = showPlace(place);
        return text;
      }

      // Undefined at the end.
      async function next(): Promise<string | undefined> {
        for (;;) {
          pending ??= batches.next();
          const found = await within(pending, heartbeat);
          if (!found) return `: still here\n${remember()}\n`;
          pending = undefined;
          if (found.done) return undefined;
          const text = write(found.value);
          if (text !== '') return text;
          // Where it begins, so that a reader can go on from there before anything was written.
          if (told === '' && known !== '') return `${remember()}\n`;
        }
      }

      function finish(): void {
        open.delete(end);
        stopping.abort();
        // Runs its clean-up when it waits for us and not for a file.
        batches.return(undefined).catch(() => undefined);
      }

      let end = () => false;
      if (isOver) finish();
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            end = () => {
              finish();
              // What the reader has not taken yet it never may: waiting for that holds up a stop.
              if (!isPulled) controller.error(new Error('the log is closed'));
              return !isPulled;
            };
            if (!isOver) open.add(end);
            // The headers go out with the first bytes.
            controller.enqueue(encoder.encode('retry: 1000\n\n'));
          },
          async pull(controller) {
            isPulled = true;
            try {
              const text = await next();
              if (text !== undefined) return controller.enqueue(encoder.encode(text));
              finish();
              controller.close();
            } catch (fault) {
              finish();
              controller.error(fault);
            } finally {
              isPulled = false;
            }
          },
          cancel: finish,
        },
        { highWaterMark: 0 },
      );
    },
    count: () => open.size,
    end() {
      isOver = true;
      return [...open].filter((end) => end()).length;
    },
  };
}

/** Undefined where it takes longer. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
