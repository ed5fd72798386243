/** The changes of one request: what they did together, with an undo for all of them. */

import { plural } from '../lib/format.ts';
import { useCan } from '../lib/roles.ts';
import type { Group } from '../lib/types.ts';
import { ChangeQuestions } from '../parts/change-questions.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { ByLine } from './by-line.tsx';
import { isFinal, isServed, subjectOf, wordOf } from './describe.ts';
import { areGuards, FieldValues, namedFields } from './field-values.tsx';
import { fieldsOf } from './fields.ts';
import { type Find, UndoOutcome, useUndo } from './undo.tsx';

type Props = {
  group: Group;
  find: Find;
  onUndone: () => Promise<void>;
};

export function GroupView({ group: { group, summary, count, entries, ...made }, ...page }: Props) {
  const undo = useUndo(`/changelog/groups/${group}/revert`, page.onUndone);
  const canUndo = useCan('editor') && !entries.some(isFinal);
  const changes = plural(count, 'change');
  return (
    <li class="change" id={`change-${group}`} tabIndex={-1}>
      <div class="line baseline">
        <span class="change-sign muted" aria-hidden="true">
          ≡
        </span>
        <div class="grow">
          {summary}
          <ByLine of={made} />
        </div>
        {canUndo && (
          <ConfirmButton
            button="Undo"
            describedBy={`change-${group}`}
            title={`Undo these ${changes}?`}
            action={`Undo ${changes}`}
            kind="primary"
            onConfirm={undo.run}
          >
            <p>{summary}.</p>
            <p>
              All of it is undone in one publish, or nothing. What was created is deleted, what was
              deleted is restored; later changes of other fields stay.
            </p>
            {entries.some(isServed) && (
              <ChangeQuestions
                of={[{ op: 'undo', group }]}
                isGuard={entries.some(({ diff }) => areGuards(fieldsOf(diff)))}
              />
            )}
            <p class="muted">The undo is recorded as a new change, which you can undo as well.</p>
          </ConfirmButton>
        )}
      </div>
      <UndoOutcome of={undo} find={page.find} />
      <details>
        <summary class="small muted">{changes}</summary>
        <ul class="lines plain">
          {entries.map((entry) => (
            <li key={entry.id}>
              {wordOf(entry)} {subjectOf(entry.domain)}
              <FieldValues fields={namedFields(entry)} />
            </li>
          ))}
          <li>
            <a href={`/changelog?group=${group}`}>Show all {changes}, line by line</a>
          </li>
        </ul>
      </details>
    </li>
  );
}
