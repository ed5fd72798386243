/** Chooses which lines are read if reading all would take too long: an even part, always the same one. */
import type { Block } from '../index/block.ts';
import { NEAR_BYTES } from './lines-at.ts';

/** Bytes whose lines are read and compared in about a second on a slow core: `bun run bench logs`. */
export const READ_LIMIT = 192 << 20;

/** Neighbouring lines that are read together, because each read costs as much as these: 64 KiB or so. */
const RUNS_PER_BLOCK = 16;

/** How many times as long a line of a run takes as one of a whole block. */
const RUN_COST = 2;

const STEPS = [1, 2, 5];

/** `of`: one of so many lines is read, 1 if all are. `blocks`: to read; their places are those of these lines. */
type Sample<T> = { of: number; blocks: Map<T, Block[]> };

/**
 * Chooses by the number of bytes to be read, not by the clock, so that a question has the same answer again.
 * @param segments newest first, as their blocks, which have exactly the lines that the index selects
 * @param limit on the bytes to read
 */
export function takeSample<T extends { blocks: readonly Block[] }>(
  segments: readonly T[],
  limit: number,
): Sample<T> {
  const costs = segments.flatMap(({ blocks }) => blocks.map(costOf));
  const of = shareOf(costs.reduce((sum, cost) => sum + cost, 0) / limit);
  let run = 0;
  // Counted from the oldest, so that a log that grows keeps its sample.
  const chosen = segments.toReversed().map((one): [T, Block[]] => {
    const blocks = one.blocks.toReversed().flatMap((block) => {
      const first = run;
      run += runsIn(block);
      return of === 1 ? block : (partOf(block, first, of) ?? []);
    });
    return [one, blocks.reverse()];
  });
  return { of, blocks: new Map(chosen) };
}

/** Bytes to read: lines far apart are read alone, and others with all that is between them. */
export const costOf = ({ start, end, count }: Block): number =>
  Math.min(end - start, count * NEAR_BYTES);

/** A round number. @param cost of reading everything; the limit is 1 */
function shareOf(cost: number): number {
  if (cost <= 1) return 1;
  for (let ten = 1; ; ten *= 10) {
    const found = STEPS.find((step) => step * ten >= cost * RUN_COST);
    if (found !== undefined) return found * ten;
  }
}

const runsIn = ({ count }: Block): number => Math.min(RUNS_PER_BLOCK, count);

/** The block with one of `of` runs of its lines; undefined if it has none. @param first the number of its first run */
function partOf(block: Block, first: number, of: number): Block | undefined {
  const runs = runsIn(block);
  const edge = (run: number) => Math.floor((run * block.count) / runs);
  const chosen: number[] = [];
  for (let run = 0; run < runs; run++) {
    // Those in the middle, so that the first and the last lines count no more than others.
    if ((first + run) % of !== of >> 1) continue;
    for (let line = edge(run); line < edge(run + 1); line++) chosen.push(line);
  }
  if (chosen.length === 0) return undefined;
  const places = () => {
    const all = block.places();
    return Uint16Array.from(chosen, (line) => all[line] as number);
  };
  return { ...block, count: chosen.length, places };
}
