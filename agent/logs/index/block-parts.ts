import { type Found, PART_BYTES, PARTS } from './segment-index.ts';

/** How many parts hold `limit` matches if all that hold any hold equally many. */
export function partsNeeded({ parts, count }: Found, limit: number): number {
  let held = 0;
  for (let part = 0; part < PARTS; part++) if (isSet(parts, part)) held++;
  return Math.ceil((limit * held) / count);
}

/** The byte ranges of the parts that hold matches, highest first, of at most `longest` parts each. */
export function* spans(block: Found, longest: number): Generator<[from: number, to: number]> {
  for (const [first, last] of runs(block.parts, longest)) {
    const from = block.start + first * PART_BYTES;
    yield [from, last === PARTS ? block.end : Math.min(block.end, block.start + last * PART_BYTES)];
  }
}

// The set bits of a mask as ranges [first, last), highest first, none longer than `longest`.
function* runs(parts: number, longest: number): Generator<[first: number, last: number]> {
  let last = PARTS;
  while (last > 0) {
    if (!isSet(parts, last - 1)) {
      last--;
      continue;
    }
    let first = last - 1;
    while (first > 0 && last - first < longest && isSet(parts, first - 1)) first--;
    yield [first, last];
    last = first;
  }
}

function isSet(parts: number, part: number): boolean {
  return ((parts >>> part) & 1) === 1;
}
