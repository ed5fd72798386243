/** Counts by name and finds the largest counts. */

export type TopCounter<T> = {
  add(name: T, count: number): void;
  /** The largest counts; equal ones in the order of their names, so that the list is stable. */
  top(length: number): [name: T, count: number][];
};

export function createTopCounter<T extends string | number>(): TopCounter<T> {
  const counts = new Map<T, number>();
  return {
    add(name, count) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    },
    top(length) {
      const list: [T, number][] = [];
      let least = 0;
      for (const one of counts) {
        if (list.length === length && one[1] < least) continue;
        const after = list.findIndex((other) => compare(one, other) < 0);
        list.splice(after < 0 ? list.length : after, 0, one);
        if (list.length > length) list.pop();
        least = list.at(-1)?.[1] ?? 0;
      }
      return list;
    },
  };
}

function compare<T>([a, countA]: [T, number], [b, countB]: [T, number]): number {
  return countB - countA || (a < b ? -1 : a > b ? 1 : 0);
}
