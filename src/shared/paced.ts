/** The intervals of a feature, at the pace of the program that it runs in: tests have a tenth of them. */

type Interval = number | readonly number[];
type Intervals = { readonly [name: string]: Interval };

/** @param name of the feature @param intervals its own, in milliseconds */
export type Paced = <T extends Intervals>(name: string, intervals: T) => T;

/**
 * @param share what all intervals are multiplied by
 * @param own those of features that are others, by the feature
 */
export const createPaced =
  (share: number, own: Readonly<Record<string, object>> = {}): Paced =>
  (name, intervals) => ({ ...shareOf(share, intervals), ...own[name] });

/** The same intervals, each multiplied by `share`. */
export const shareOf = <T extends Intervals>(share: number, intervals: T): T =>
  Object.fromEntries(
    Object.entries(intervals).map(([name, one]) => [
      name,
      typeof one === 'number' ? one * share : one.map((each) => each * share),
    ]),
  ) as T;
