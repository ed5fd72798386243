/** Finds the word that someone probably meant. Pure. */

/** Longer words are nobody's typing mistake, and comparing them takes the square of their length. */
const LONGEST = 64;

/** The shortest word that counts as the beginning or the end of another. */
const SHORTEST = 3;

/**
 * The candidate most like `word`: with few letters wrong, missing, surplus or swapped, or one that is
 * the beginning or the last part of the other. Undefined if there is none.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  // About a third of a word may be wrong.
  let least = Math.floor(Math.min(typed.length, LONGEST) / 3) + 1;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    if (candidate === word || typed.length > LONGEST || known.length > LONGEST) continue;
    const isPart = isEnd(typed, known) || isEnd(known, typed);
    const away = isPart ? 1 + lengthened(typed, known) : distance(typed, known);
    if (away >= least) continue;
    best = candidate;
    least = away;
  }
  return best;
}

const isEnd = (part: string, whole: string): boolean =>
  part.length >= SHORTEST && (whole.startsWith(part) || whole.endsWith(`_${part}`));

/** Less than one letter, so that the closest in length wins. */
const lengthened = (one: string, other: string): number =>
  Math.abs(one.length - other.length) / (LONGEST + 1);

/** How many letters differ; two that are swapped count as one (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      line[column] = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = line;
  }
  return above[other.length] ?? 0;
}
