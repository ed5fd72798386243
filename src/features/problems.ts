/** The problems that features may find, by their codes. */
import type { EventName } from '../shared/events.ts';
import { problems as backups } from './backups/words.ts';
import { problems as certificates } from './certificates/words.ts';
import { problems as channels } from './channels/words.ts';
import { problems as containers } from './containers/words.ts';
import { problems as doors } from './doors/words.ts';
import { problems as sameAddress } from './same-address/words.ts';

export type ProblemWords = Readonly<{
  /** What it is about, which is how grave it is. */
  of: 'proxies' | 'changes' | 'sites' | 'others';
  /** The code of the core that is next graver; else it is less grave than all of these. */
  follows?: string;
  /** What it is once it has lasted; null: it is only shown. */
  event: EventName | null;
  /** Whether there may be several at once: each is known by its words. */
  isSeveral?: boolean;
  /** What viewers read of one that is no event, as they get nobody else's words; else that there is a warning. */
  viewers?: string;
  /** For the dashboard. @param site its name, or that of several */
  title: (site: string) => string;
  /** Where it can be solved in the dashboard, if that is not the page of its site. */
  page?: Readonly<{ to: string; label: string }>;
}>;

const problems = {
  ...certificates,
  ...containers,
  ...backups,
  ...channels,
  ...sameAddress,
  ...doors,
} as const;

export type FeatureProblem = keyof typeof problems;

export const FEATURE_PROBLEMS: Readonly<Record<FeatureProblem, ProblemWords>> = problems;

/** Undefined for a problem of the core. */
export const wordsOfProblem = (code: string): ProblemWords | undefined =>
  (FEATURE_PROBLEMS as Readonly<Record<string, ProblemWords>>)[code];
