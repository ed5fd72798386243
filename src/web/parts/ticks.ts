/** What several things have in common, and what somebody decided about it. Pure. */

export type Tick = { name: string; has: 'all' | 'some' | 'none'; note?: string };
/** What was decided: true for all of them, false for none. */
export type Ticks = Readonly<Record<string, boolean>>;

/** @param lists what each of the things has */
export function hasOf(name: string, lists: readonly (readonly string[])[]): Tick['has'] {
  const count = lists.filter((list) => list.includes(name)).length;
  return count === 0 ? 'none' : count === lists.length ? 'all' : 'some';
}
