/** Values that are looked up for each scrape of the metrics. */

type Sample = { labels?: Readonly<Record<string, string>>; value: number };

/** Values that are collected for each scrape, in base units; a counter's name ends in `_total`. */
export type Family = {
  name: string;
  help: string;
  type: 'gauge' | 'counter';
  /** Required if there may be no samples: without labels that would read as 0. */
  labelNames?: readonly string[];
  samples: readonly Sample[];
};

const family =
  (type: Family['type']) =>
  (name: string, help: string, of: number | boolean | readonly Sample[]): Family => ({
    name,
    help,
    type,
    samples: typeof of === 'object' ? of : [{ value: Number(of) }],
  });

/** A family by its samples, or by the one value of a family without labels; true is 1, false is 0. */
export const gauge = family('gauge');
export const counter = family('counter');

/** Collects families; one that fails or takes too long is left out of that scrape. */
export type Collector = () => readonly Family[] | Promise<readonly Family[]>;
