/** The latest changes, each leading to its entry of the changelog. */
import { subjectOf, WORDS } from '../changelog/describe.ts';
import type { Entry } from '../lib/types.ts';
import { Time } from '../parts/time.tsx';

const MOST = 6;

export function LastChanges({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <p class="muted">No changes yet.</p>;
  return (
    <ul class="lines">
      {entries.slice(0, MOST).map(({ id, action, domain, userName, createdAt }) => (
        <li key={id}>
          <a href={`/changelog#change-${id}`}>
            {WORDS[action].word} {subjectOf(domain)}
          </a>
          <span class="muted">
            {userName}, <Time at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
