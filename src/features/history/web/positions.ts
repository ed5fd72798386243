/** The moments that the slider goes over: after each change, when a request came, and now. Pure. */
import { isServed, lineOf } from '../../../web/changelog/describe.ts';
import { clockTime, localTime } from '../../../web/lib/format.ts';
import type { Group } from '../../../web/lib/types.ts';

type Position = {
  key: string;
  /** ISO 8601; null: now. */
  at: string | null;
  words: string;
};

/**
 * Oldest first; the last one is now, which is also the moment after the newest change.
 * @param groups newest first
 * @param asked the time of a request, ISO 8601; null for none
 */
export function positionsOf(groups: readonly Group[], asked: string | null): Position[] {
  const [newest, ...older] = groups.filter(({ entries }) => entries.some(isServed));
  const positions = older.map((group): Position => {
    const { createdAt: at, userName } = group;
    const words = `${clockTime(at)}, after: ${lineOf(group)}, by ${userName}`;
    return { key: String(group.group), at, words };
  });
  if (asked !== null) {
    positions.push({ key: asked, at: asked, words: `${localTime(asked)}, when the request came` });
  }
  const now = newest ? `Now, after: ${lineOf(newest)}, by ${newest.userName}` : 'Now';
  return [
    ...positions.toSorted((a, b) => timeOf(a) - timeOf(b)),
    { key: 'now', at: null, words: now },
  ];
}

const timeOf = ({ at }: Position): number => Date.parse(at ?? '');
