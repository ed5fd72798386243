/** Single-line changes of the program that its tests should notice. */
import { seededRandom } from '../../test/harness/random.ts';

export type Mutant = { file: string; line: number; before: string; after: string };

/** What can be changed in a line; each gives every line that it makes of one, at most one per place. */
const CHANGES: readonly ((line: string) => string[])[] = [
  // A condition is negated.
  (line) =>
    replacedEach(line, /\bif \((.+)\) (?=[^=]*$)/g, ([, condition]) => `if (!(${condition})) `),
  (line) => replacedEach(line, / (===|!==) /g, ([, sign]) => (sign === '===' ? ' !== ' : ' === ')),
  (line) => replacedEach(line, / (&&|\|\|) /g, ([, sign]) => (sign === '&&' ? ' || ' : ' && ')),
  // A bound is off by one.
  (line) =>
    replacedEach(line, / (<=|>=|<|>) (?=[\w(])/g, ([, sign = '']) => ` ${OTHER_BOUND[sign]} `),
  (line) => replacedEach(line, / ([+-]) 1\b(?!\.)/g, ([, sign]) => ` ${sign} 2`),
  // An `await` is dropped.
  (line) => replacedEach(line, /\bawait (?=[a-z])/g, () => ''),
  // Two arguments are swapped.
  (line) =>
    replacedEach(line, /(?<=\w\()([a-z]\w*), ([a-z]\w*)(?=\))/g, ([, a, b]) => `${b}, ${a}`),
  // A check is removed.
  (line) => (/^\s*if \(.+\) (?:throw|return)\b.*;$/.test(line) ? [''] : []),
];
const OTHER_BOUND: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

/** Comments, imports, types and texts of the dashboard's pages hold no code that could be wrong so. */
const NOT_CODE =
  /^\s*(?:\/\/|\/?\*|import |export \{|export type |type |<|\|)|^\s*['"`]|=>\s*$.*\bas\b/;

function replacedEach(
  line: string,
  pattern: RegExp,
  by: (match: RegExpExecArray) => string,
): string[] {
  return [...line.matchAll(pattern)].map(
    (match) => line.slice(0, match.index) + by(match) + line.slice(match.index + match[0].length),
  );
}

/**
 * @param texts of all files, by path
 * @returns as many, each of another file, always the same for a seed
 */
export function chooseMutants(
  texts: ReadonlyMap<string, string>,
  count: number,
  seed: number,
): Mutant[] {
  const random = seededRandom(seed);
  const left = [...texts.keys()].toSorted();
  const chosen: Mutant[] = [];
  while (chosen.length < count && left.length > 0) {
    const [file = ''] = left.splice(random.below(left.length), 1);
    const text = texts.get(file) ?? '';
    // What a file is made of by hand.
    if (/^\/\*\*[^/]*generated from/.test(text)) continue;
    const lines = text.split('\n');
    const possible = CHANGES.map((change) =>
      lines.flatMap((line, at) =>
        NOT_CODE.test(line)
          ? []
          : change(line)
              .map((after) => ({ file, line: at + 1, before: line, after }))
              .filter((mutant) => parses(file, applied(text, mutant))),
      ),
    ).filter((mutants) => mutants.length > 0);
    const kind = possible[random.below(possible.length || 1)];
    const mutant = kind?.[random.below(kind.length)];
    if (mutant) chosen.push(mutant);
  }
  return chosen;
}

export const applied = (text: string, { line, after }: Mutant): string =>
  text
    .split('\n')
    .with(line - 1, after)
    .join('\n');

function parses(file: string, text: string): boolean {
  try {
    new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' }).transformSync(text);
    return true;
  } catch {
    return false;
  }
}
