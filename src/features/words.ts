/** The words that features bring: settings in the order of `--help`, and codes of problems. */
import type { EventName } from '../shared/events.ts';
import type { Setting } from '../shared/setting.ts';
import * as containers from './containers/words.ts';
import * as ship from './ship/words.ts';

export type ProblemWords = Readonly<{
  /** What it is about, which is how grave it is. */
  of: 'proxies' | 'changes' | 'sites' | 'others';
  /** What it is once it has lasted; null: it is only shown. */
  event: EventName | null;
  /** For the dashboard. @param site its name, or that of several */
  title: (site: string) => string;
}>;

const settings = { ...ship.settings, ...containers.settings } as const;
const problems = { ...containers.problems } as const;

export type FeatureSetting = keyof typeof settings;
export type FeatureProblem = keyof typeof problems;

export const FEATURE_SETTINGS: Readonly<Record<FeatureSetting, Setting>> = settings;
export const FEATURE_PROBLEMS: Readonly<Record<FeatureProblem, ProblemWords>> = problems;
