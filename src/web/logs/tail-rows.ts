/** The rows of the live log: limited in number, held back while paused, joined with the page below. Pure. */
import type { LogEntry } from '../lib/types.ts';

export type TailRow = { id: number } & ({ entry: LogEntry } | { missed: number | null });

/** Both newest first. `unseen` also counts waiting rows that were dropped for lack of space. */
export type TailRows = {
  shown: readonly TailRow[];
  waiting: readonly TailRow[];
  unseen: number;
};

/** Nobody reads more rows, and all of them may have to be drawn at once. */
export const KEPT = 200;

/** Rows per draw, 40 ms on a busy machine. Faster requests are only counted. */
export const DRAWN_AT_ONCE = 30;

export const NO_ROWS: TailRows = { shown: [], waiting: [], unseen: 0 };

/** Adds new rows. @param arrived oldest first */
export function arrive(rows: TailRows, arrived: readonly TailRow[], isHeld: boolean): TailRows {
  const newest = (isHeld ? arrived.slice(-KEPT) : thinned(arrived)).reverse();
  const waiting = [...newest, ...rows.waiting].slice(0, KEPT);
  const held = { ...rows, waiting, unseen: rows.unseen + arrived.length };
  return isHeld ? held : release(held);
}

function thinned(arrived: readonly TailRow[]): TailRow[] {
  const skipped = arrived.slice(0, -DRAWN_AT_ONCE);
  const last = skipped.at(-1);
  if (!last) return [...arrived];
  let missed: number | null = 0;
  for (const row of skipped) {
    if ('entry' in row) missed = missed === null ? null : missed + 1;
    else missed = row.missed === null || missed === null ? null : missed + row.missed;
  }
  return [{ id: last.id, missed }, ...arrived.slice(-DRAWN_AT_ONCE)];
}

export const release = ({ shown, waiting, unseen }: TailRows): TailRows =>
  unseen === 0
    ? { shown, waiting, unseen }
    : { shown: [...waiting, ...shown].slice(0, KEPT), waiting: [], unseen: 0 };

// A path may be a megabyte long; its length is enough here.
const keyOf = (entry: LogEntry): string =>
  [entry.timestamp, entry.latency, entry.status, entry.method, entry.ip, entry.agent].join(' ') +
  ` ${entry.domain.length} ${entry.path.length}`;

export type PageRow = { at: number; entry: LogEntry };

/** The entries of the newest page, with their index, that are not among the live rows. */
export function below(rows: TailRows, page: readonly LogEntry[]): PageRow[] {
  const live = new Map<string, number>();
  for (const row of [...rows.shown, ...rows.waiting]) {
    if ('entry' in row) live.set(keyOf(row.entry), (live.get(keyOf(row.entry)) ?? 0) + 1);
  }
  const left: PageRow[] = [];
  for (const [at, entry] of page.entries()) {
    const times = live.get(keyOf(entry)) ?? 0;
    if (times > 0) live.set(keyOf(entry), times - 1);
    else left.push({ at, entry });
  }
  // Live rows push out the page's last ones, so that there is never a gap in between.
  return rows.shown.length === 0 ? left : left.slice(0, Math.max(0, KEPT - rows.shown.length));
}
