/** Which test files there are, and to which set each belongs: its first line says so, and nothing else. */
import { isPartName, type PartName } from './parts.ts';

const FIRST_LINE = /^\/\/ proof: (\S+)$/;

export type TestFile = {
  /** From the project's root. */
  path: string;
  /** Null for the quick set. */
  part: PartName | null;
};

/** @param path for the message @throws Error if the first line names no part that there is */
export function partIn(text: string, path: string): PartName | null {
  const [first = ''] = text.split('\n', 1);
  if (!first.startsWith('// proof')) return null;
  const [, name = ''] = FIRST_LINE.exec(first) ?? [];
  if (!isPartName(name)) throw new Error(`${path}: no part of the proofs in "${first}"`);
  return name;
}

/** @param root of the project @throws Error if a first line names no part */
export async function findTestFiles(root: string): Promise<TestFile[]> {
  const paths = [...new Bun.Glob('test/**/*.test.{ts,tsx}').scanSync(root)].toSorted();
  return Promise.all(
    paths.map(async (path) => ({
      path,
      part: partIn(await Bun.file(`${root}/${path}`).text(), path),
    })),
  );
}
