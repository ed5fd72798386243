/**
 * Few files of the proofs that fail beside others run once more, alone: they drive dozens of programs against
 * the clock, and share two cores. What then passes is named at the end of the run.
 */
import type { TestFile } from './files.ts';
import type { PartName } from './parts.ts';
import type { Result } from './pass.ts';

/** More files than this fail because of the program. */
const MOST_FILES = 4;
/** Parts, and folders. What is lost once is lost, and what a stranger learns once is known. */
const ONCE_ONLY = ['chaos', 'attack'] as const satisfies readonly PartName[];

/** Whether a file may run again, in whichever part it runs. */
export const mayRunAgain = ({ path, part }: TestFile): boolean =>
  !ONCE_ONLY.some((one) => part === one || path.includes(`/${one}/`));

/**
 * What counts of a first result.
 * @param mayRun whether a file that failed may run again; if one may not, none does
 * @param runAlone runs files, one at a time
 * @returns the first result, or with all tests passed if they have done so alone
 */
export async function runFailedAgain(
  first: Result,
  mayRun: (file: string) => boolean,
  runAlone: (files: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { failedFiles: files, failedTests } = first;
  if (files === null || files.length === 0 || files.length > MOST_FILES) return first;
  if (!files.every(mayRun)) return first;
  const alone = await runAlone(files);
  if (alone.failed > 0) return { ...first, failedTests: [...failedTests, ...alone.failedTests] };
  return {
    ...first,
    passed: first.passed + first.failed,
    failed: 0,
    failedTests: [],
    passedAlone: failedTests,
  };
}
