/** What a replay does not compare, by reason. */
import type { ReplayState } from '../../../src/features/replay/wire.ts';

export type LeftOut = {
  add(reason: string, count: number): void;
  /** A number for a reason that a configuration gives before anything is asked. */
  numberOf(reason: string): number;
  addNumber(number: number, count: number): void;
  list(): ReplayState['leftOut'];
};

export function createLeftOut(): LeftOut {
  const counts = new Map<string, number>();
  const reasons: string[] = [];
  const add = (reason: string, count: number) =>
    void counts.set(reason, (counts.get(reason) ?? 0) + count);
  return {
    add,
    numberOf(reason) {
      const known = reasons.indexOf(reason);
      return known < 0 ? reasons.push(reason) - 1 : known;
    },
    addNumber: (number, count) => add(reasons[number] ?? 'Cannot be tried', count),
    list: () =>
      [...counts]
        .map(([reason, count]) => ({ reason, count }))
        .toSorted((a, b) => b.count - a.count),
  };
}
