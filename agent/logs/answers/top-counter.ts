/** Sums by name. */
export type Top<T> = {
  add(name: T, count: number): void;
  /** The largest, equal ones by name, so that the same sums give the same list. */
  first(length: number): [name: T, count: number][];
};

export function createTop<T extends string | number>(): Top<T> {
  const sums = new Map<T, number>();
  return {
    add(name, count) {
      sums.set(name, (sums.get(name) ?? 0) + count);
    },
    first(length) {
      const found: [T, number][] = [];
      let least = 0;
      for (const one of sums) {
        if (found.length === length && one[1] < least) continue;
        const place = found.findIndex((other) => compare(one, other) < 0);
        found.splice(place < 0 ? found.length : place, 0, one);
        if (found.length > length) found.pop();
        least = found.at(-1)?.[1] ?? 0;
      }
      return found;
    },
  };
}

function compare<T>([a, many]: [T, number], [b, more]: [T, number]): number {
  return more - many || (a < b ? -1 : a > b ? 1 : 0);
}
