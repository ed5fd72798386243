/** The head of the first page: the signal, the answer in a sentence, and the last change. */
import type { Group } from '../lib/types.ts';
import { Signal } from '../parts/signal.tsx';
import { Time } from '../parts/time.tsx';
import type { Answer } from './answer.ts';

type Props = {
  /** Null: there are no sites. */
  answer: Answer | null;
  last: Group | undefined;
  canEdit: boolean;
};

export const OverviewHead = ({ answer, last, canEdit }: Props) => (
  <div class="answer row">
    <h1 class="visually-hidden">Overview</h1>
    {answer && <Signal state={answer.state} />}
    <div class="grow">
      <p class="answer-words" role="status">
        {answer?.words ?? 'There are no sites yet.'}
      </p>
      {last && (
        <p class="muted">
          Last change{' '}
          <a href={`/changelog#change-${last.group}`}>
            <Time at={last.createdAt} />
          </a>{' '}
          by {last.userName}.
        </p>
      )}
    </div>
    {canEdit && (
      <a class="button primary" href="/sites/new">
        New site
      </a>
    )}
  </div>
);
