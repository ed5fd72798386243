/** The blocks with matches, as they were when a series of requests began. */
import { type Moments, placeOf } from '../index/block.ts';
import type { Snapshot } from '../index/log-index.ts';
import type { SegmentMatches } from './matches.ts';
import type { MomentReader, Part } from './moments.ts';

/**
 * The part of the log that a series of requests is about: up to `end` in the newest segment, and if
 * the first request could not count everything, from a block on.
 */
type Pin = {
  newest: { id: number; end: number };
  oldest?: { id: number; start: number } | undefined;
};

/** The end of the log as the snapshot has it at this moment. */
export function endOf({ segments: [newest] }: Snapshot): Pin {
  return { newest: { id: newest?.id ?? 0, end: newest?.index.end ?? 0 } };
}

/** @param run tells the process from any other: it has its own ids */
export function formatPin(run: string, { newest, oldest }: Pin): string {
  const ids = [newest.id, newest.end, ...(oldest ? [oldest.id, oldest.start] : [])];
  return [run, ...ids].join(' ');
}

/** Undefined if the pin is of another run. */
export function parsePin(run: string, text: string): Pin | undefined {
  const [of, ...numbers] = text.split(' ');
  const [id, end, oldest, start] = numbers.map(Number);
  if (of !== run || id === undefined || end === undefined) return undefined;
  const hasOldest = oldest !== undefined && start !== undefined;
  return { newest: { id, end }, ...(hasOldest && { oldest: { id: oldest, start } }) };
}

/** All parts, newest first. */
export const partsOf = (found: readonly SegmentMatches[]): Part[] =>
  found.flatMap((of) => Array.from(of.blocks, (block) => ({ of, block, count: block.count })));

/** Pins parts that were not all counted: what is older does not count later either. */
export function pinnedTo(parts: readonly Part[], pin: Pin): Pin {
  const last = parts.at(-1);
  return { ...pin, ...(last && { oldest: { id: last.of.indexed.id, start: last.block.start } }) };
}

/**
 * The parts that a pin is about, newest first; undefined if its end is not there any more.
 * @throws SegmentGone
 */
export async function pinnedParts(
  found: readonly SegmentMatches[],
  { newest, oldest }: Pin,
  moments: MomentReader,
): Promise<Part[] | undefined> {
  const first = found.findIndex(({ indexed }) => indexed.id === newest.id);
  if (first < 0) return undefined;
  const last = found.findIndex(({ indexed }) => indexed.id === oldest?.id);
  const parts: Part[] = [];
  for (const part of partsOf(found.slice(first, last < 0 ? undefined : last + 1))) {
    const { id } = part.of.indexed;
    const { start, end } = part.block;
    if (id === newest.id && start >= newest.end) continue;
    if (id === oldest?.id && start < oldest.start) continue;
    const isCut = id === newest.id && end > newest.end;
    parts.push(isCut ? await cutAt(newest.end, part, moments) : part);
  }
  return parts;
}

/** Without the lines that were written after `end`, which is the end of a line in the block. */
async function cutAt(end: number, part: Part, { read }: MomentReader): Promise<Part> {
  const [all] = await read([part]);
  const { times, places } = all as Moments;
  // An entry is longer than a place, so none from before starts in this one.
  const limit = placeOf(end - part.block.start);
  const isBefore = (_: number, i: number) => (places[i] as number) < limit;
  const moments = { times: times.filter(isBefore), places: places.filter(isBefore) };
  return { ...part, count: moments.times.length, moments };
}
