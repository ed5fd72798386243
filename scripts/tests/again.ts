/**
 * Few files of the proofs that fail beside others run once more, alone: they drive dozens of programs against
 * the clock, and share two cores. What then passes is named at the end of the run.
 */
import type { Result } from './pass.ts';

/** More files than this fail because of the program. */
const MOST_FILES = 4;
/** What is lost once is lost, and what a stranger learns once is known. */
const ONCE_ONLY = ['chaos', 'attack'];

/** @param part of the proofs, as PART_NAMES has it */
export const mayRunAgain = (part: string): boolean => !ONCE_ONLY.includes(part);

/**
 * What counts of a first result.
 * @param runAlone runs files, one at a time
 * @returns the first result, or with all tests passed if they have done so alone
 */
export async function runFailedAgain(
  first: Result,
  runAlone: (files: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { failedFiles: files, failedTests } = first;
  if (files === null || files.length === 0 || files.length > MOST_FILES) return first;
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
