/** Streams all entries that match a filter, oldest first, block by block. */
import { createEndableStreams } from '../../../src/shared/async.ts';
import { createDeadline } from '../index/deadline.ts';
import type { Snapshot } from '../index/log-index.ts';
import type { BlockReader } from './block-reader.ts';
import type { ExportFormat } from './export-format.ts';
import type { Conditions } from './filter.ts';
import { SegmentGone } from './lines-at.ts';
import { selectIn } from './selection.ts';

type Exports = {
  /** @param limit the most entries that are sent */
  open(conditions: Conditions, format: ExportFormat, limit: number): ReadableStream<Uint8Array>;
  /** Ends all of them; see `EndableStreams.end`. */
  end(): number;
};

type ExportsDeps = { refresh: () => Promise<Snapshot>; reader: BlockReader };

/** How often a segment is opened again that was renamed or compressed meanwhile. */
const ATTEMPTS = 20;

export function createExports({ refresh, reader }: ExportsDeps): Exports {
  const streams = createEndableStreams();
  const encoder = new TextEncoder();

  async function* read(conditions: Conditions, format: ExportFormat, limit: number) {
    const turns = createDeadline(Number.POSITIVE_INFINITY);
    const done = new Set<number>();
    let [left, attempts] = [limit, ATTEMPTS];
    // What was sent of the segment that is being read.
    let sent = { id: -1, end: 0 };
    let text = format.head;
    for (;;) {
      const indexed = (await refresh()).segments.findLast(({ id }) => !done.has(id));
      if (!indexed || left === 0) break;
      const { id } = indexed;
      if (sent.id !== id) sent = { id, end: 0 };
      const { match, candidates } = selectIn(indexed, conditions);
      const blocks = candidates().filter(({ start }) => start >= sent.end);
      const walked = reader.walk(indexed, blocks.reverse(), (entry) => {
        if (left === 0 || !match(entry)) return;
        const line = format.write(entry.line());
        if (line !== '') left--;
        text += line;
      });
      try {
        for await (const block of walked) {
          sent.end = block.end;
          if (text !== '') yield text;
          text = '';
          if (left === 0) break;
          await turns.yieldTurn();
        }
        done.add(id);
      } catch (error) {
        if (!(error instanceof SegmentGone) || attempts-- === 0) throw error;
        text = '';
      }
    }
    if (text !== '') yield text;
  }

  return {
    open(conditions, format, limit) {
      const texts = read(conditions, format, limit);
      return streams.open({
        async next() {
          const { value } = await texts.next();
          return value === undefined ? undefined : encoder.encode(value);
        },
        stop: () => void texts.return(),
      });
    },
    end: streams.end,
  };
}
