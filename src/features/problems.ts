/** The problems that features may find, by their codes. */
import type { EventName } from '../shared/events.ts';
import { problems as containers } from './containers/words.ts';

export type ProblemWords = Readonly<{
  /** What it is about, which is how grave it is. */
  of: 'proxies' | 'changes' | 'sites' | 'others';
  /** What it is once it has lasted; null: it is only shown. */
  event: EventName | null;
  /** For the dashboard. @param site its name, or that of several */
  title: (site: string) => string;
}>;

const problems = { ...containers } as const;

export type FeatureProblem = keyof typeof problems;

export const FEATURE_PROBLEMS: Readonly<Record<FeatureProblem, ProblemWords>> = problems;
