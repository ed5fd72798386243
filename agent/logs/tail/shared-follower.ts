/** Follows a log once for all readers that have caught up with it. */
import type { LogPosition } from '../files/log-position.ts';
import { type Batch, follow } from './follow.ts';

/** A reader of what the shared follower reads. */
export type Subscription = {
  /**
   * The next batch, with all its entries; undefined if the reader has to read on by itself, because
   * it was too slow or the shared follower failed.
   */
  next(): Promise<Batch | undefined>;
  /** May be called more than once. */
  leave(): void;
};

export type SharedFollower = {
  /**
   * Subscribes a reader to what is written after `position`, which has to be the position after the
   * last line that it has read.
   * @returns null if the shared follower has passed that position too long ago, or is not there yet
   */
  join(position: LogPosition): Subscription | null;
};

/** A batch that has been read, and where it began. */
type Piece = { from: LogPosition; batch: Batch & { position: LogPosition } };

/** How many bytes of the log a reader may be behind before it reads by itself. */
const KEPT_BYTES = 1 << 20;

const all = () => true;

/** @param maxLag as in `FollowOptions` */
export function createSharedFollower(file: string, maxLag: number): SharedFollower {
  const limit = Math.min(KEPT_BYTES, maxLag / 2);
  /** The run that readers join; ended when the last one leaves. */
  let current: ReturnType<typeof start> | null = null;

  function start(begin: LogPosition) {
    const stopping = new AbortController();
    const pieces: Piece[] = [];
    let kept = 0;
    /** The number of the first of `pieces`. */
    let first = 0;
    let position = begin;
    let readers = 0;
    let isOver = false;
    let arrival = Promise.withResolvers<void>();

    function notify(): void {
      arrival.resolve();
      arrival = Promise.withResolvers();
    }

    async function run(): Promise<void> {
      const { signal } = stopping;
      const options = { file, after: begin, isWanted: all, signal, maxLag };
      for await (const batch of follow(options)) {
        // Entries are left out or lost from here on: each reader has to find out for itself.
        if (batch.missed !== undefined) return;
        const to = batch.position;
        if (!to || isSame(to, position)) continue;
        const piece = { from: position, batch: { ...batch, position: to } };
        pieces.push(piece);
        kept += sizeOf(piece);
        position = to;
        for (
          let oldest = pieces[0];
          oldest && kept > limit && pieces.length > 1;
          [oldest] = pieces
        ) {
          kept -= sizeOf(oldest);
          pieces.shift();
          first++;
        }
        notify();
      }
    }

    /** The number of the piece to read after `at`, and what of it is new; null if that is unknown. */
    function find(at: LogPosition): { next: number; rest: Batch | null } | null {
      if (isSame(at, position)) return { next: first + pieces.length, rest: null };
      const index = pieces.findIndex((piece) => holds(piece, at));
      const piece = pieces[index];
      if (!piece) return null;
      const entries = isSame(piece.from, at)
        ? piece.batch.entries
        : piece.batch.entries.filter((entry) => entry.position.offset > at.offset);
      return { next: first + index + 1, rest: { ...piece.batch, entries } };
    }

    function join(at: LogPosition): Subscription | null {
      const place = isOver ? null : find(at);
      if (!place) return null;
      let { next, rest } = place;
      let hasLeft = false;
      readers++;
      return {
        async next() {
          if (rest) {
            const batch = rest;
            rest = null;
            return batch;
          }
          while (!hasLeft && next >= first) {
            const piece = pieces[next - first];
            if (piece) {
              next++;
              return piece.batch;
            }
            if (isOver) break;
            await arrival.promise;
          }
          return undefined;
        },
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          if (--readers === 0) end();
          else notify();
        },
      };
    }

    function end(): void {
      isOver = true;
      stopping.abort();
      notify();
    }

    void run()
      .catch(() => undefined)
      .then(end);
    return { join, isOver: () => isOver };
  }

  return {
    join(position) {
      if (!current || current.isOver()) current = start(position);
      return current.join(position);
    },
  };
}

const isSame = (a: LogPosition, b: LogPosition): boolean =>
  a.segment === b.segment && a.offset === b.offset;

/** Where a piece begins in the segment that it ends in. */
const startOf = ({ from, batch }: Piece): number =>
  from.segment === batch.position.segment ? from.offset : 0;

const sizeOf = (piece: Piece): number => Math.max(0, piece.batch.position.offset - startOf(piece));

/** Whether a position is in a piece, but not at its end. */
const holds = (piece: Piece, at: LogPosition): boolean =>
  isSame(piece.from, at) ||
  (piece.batch.position.segment === at.segment &&
    at.offset >= startOf(piece) &&
    at.offset < piece.batch.position.offset);
