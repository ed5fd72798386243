/** Counts by name. */
type Tally<T> = {
  add(name: T, count: number): void;
  list(): [name: T, count: number][];
};

export function createTally<T extends string | number>(): Tally<T> {
  const counts = new Map<T, number>();
  return {
    add(name, count) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    },
    list: () => [...counts],
  };
}
