/** Who made a change, with what, and when. */
import type { Entry } from '../lib/types.ts';
import { ClockTime } from '../parts/time.tsx';
import { applyWords } from './describe.ts';

type Props = {
  of: Pick<Entry, 'userId' | 'userName' | 'via' | 'createdAt'>;
  /** The proxies that were unreachable. */
  behind?: readonly string[];
};

export function ByLine({ of: { userId, userName, via, createdAt }, behind = [] }: Props) {
  const applied = applyWords(via);
  return (
    <span class="change-who block small muted">
      <a href={`/changelog?user=${encodeURIComponent(userId)}`} title="All changes by this person">
        {userName}
      </a>
      {applied && `, ${applied}`}
      {via !== null && !applied && (
        <>
          {' '}
          using the token <q>{via}</q>
        </>
      )}
      <span aria-hidden="true"> · </span>
      <ClockTime at={createdAt} />
      {behind.length > 0 && (
        <>
          <span aria-hidden="true"> · </span>
          <span>
            {behind.join(', ')} {behind.length === 1 ? 'was' : 'were'} out of date
          </span>
        </>
      )}
    </span>
  );
}
