/** Counts requests by what only their lines have: path, address and user agent. */
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import type { EntryCursor } from '../line/classifier.ts';

type Tallies = Record<'paths' | 'ips' | 'userAgents', ReadonlyMap<string, number>>;

export type Names = {
  readonly requests: number;
  readonly tallies: Tallies;
  add(entry: Pick<EntryCursor, 'request' | 'userAgent'>): void;
  /** Adds what another one has counted. */
  addAll(names: Names): void;
  /** All counts multiplied by `weight`. */
  answer(weight: number): Omit<LogSums['latest'], 'partial'>;
};

/** Characters of all names of a kind; visitors choose how long they are. The answer is below `LOG_ANSWER`. */
const MOST_CHARACTERS = 1 << 20;

/** Names for which there is no room are not counted. */
export function createNames(): Names {
  const [paths, ips, userAgents] = [createTally(), createTally(), createTally()];
  let requests = 0;
  return {
    get requests() {
      return requests;
    },
    tallies: { paths: paths.counts, ips: ips.counts, userAgents: userAgents.counts },
    add(entry) {
      const { path, ip } = entry.request();
      requests++;
      paths.add(path, 1);
      ips.add(ip, 1);
      userAgents.add(entry.userAgent(), 1);
    },
    addAll(names) {
      requests += names.requests;
      for (const [name, count] of names.tallies.paths) paths.add(name, count);
      for (const [name, count] of names.tallies.ips) ips.add(name, count);
      for (const [name, count] of names.tallies.userAgents) userAgents.add(name, count);
    },
    answer: (weight) => ({
      requests: requests * weight,
      paths: paths.list(weight),
      ips: ips.list(weight),
      userAgents: userAgents.list(weight),
    }),
  };
}

function createTally() {
  const counts = new Map<string, number>();
  let left = MOST_CHARACTERS;
  return {
    counts,
    add(name: string, count: number): void {
      const before = counts.get(name);
      if (before === undefined && name.length > left) return;
      if (before === undefined) left -= name.length;
      counts.set(name, (before ?? 0) + count);
    },
    list: (weight: number) =>
      Array.from(counts, ([name, count]): [string, number] => [name, count * weight]),
  };
}
