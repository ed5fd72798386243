/** The words that features bring: a line for each feature that has some. */
import type { EventName } from '../shared/events.ts';
import type { Setting } from '../shared/setting.ts';
import { words as containers } from './containers/words.ts';
import { words as ship } from './ship/words.ts';

type Words = Readonly<{
  /** In the order of `--help`. */
  settings?: Readonly<Record<string, Setting>>;
  /** By code. */
  problems?: Readonly<Record<string, ProblemWords>>;
}>;

type ProblemWords = Readonly<{
  /** What it is about, which is how grave it is. */
  of: 'proxies' | 'changes' | 'sites' | 'others';
  /** What it is once it has lasted; null: it is only shown. */
  event: EventName | null;
  /** For the dashboard. @param site its name, or that of several */
  title: (site: string) => string;
}>;

const ALL = [ship, containers] as const satisfies readonly Words[];

export const WORDS: readonly Words[] = ALL;

/** The names of one kind, such as the codes of problems. */
export type WordsOf<Kind extends keyof Words> = NamesIn<(typeof ALL)[number], Kind>;

type NamesIn<One, Kind extends string> =
  One extends Readonly<Record<Kind, infer Named>> ? keyof Named & string : never;
