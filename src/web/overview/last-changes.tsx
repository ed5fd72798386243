/** The latest changes, each leading to its entry of the changelog. */
import { wordOf } from '../changelog/describe.ts';
import { subjectOf } from '../changelog/subject.ts';
import type { Entry } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';

const MOST = 6;

export function LastChanges({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <p class="muted">No changes yet.</p>;
  return (
    <ul class="lines">
      {entries.slice(0, MOST).map((entry) => (
        <li key={entry.id}>
          <a href={`/changelog#change-${entry.id}`}>
            {wordOf(entry)} {subjectOf(entry.domain)}
          </a>
          <span class="muted">
            {entry.userName}, <Time at={entry.createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
