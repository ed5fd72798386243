/** A change: what, who and when, with its diff and an undo button. */
import { useMemo, useState } from 'preact/hooks';
import { useCan } from '../lib/roles.ts';
import type { Entry } from '../lib/types.ts';
import { ChangeQuestions } from '../parts/change-questions.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { ByLine } from './by-line.tsx';
import { isFinal, isServed, kindOf, subjectOf, undoSentence, WORDS, wordOf } from './describe.ts';
import { areGuards, FieldDiff, FieldValues, isInLine, namedFields } from './field-values.tsx';
import { fieldsOf, reversed } from './fields.ts';
import { type Find, UndoOutcome, useUndo } from './undo.tsx';

type Props = {
  entry: Entry;
  /** What the hub says of it, where that is more than its own words. */
  summary?: string;
  find: Find;
  onUndone: () => Promise<void>;
};

export function EntryView({ entry, summary, find, onUndone }: Props) {
  const { id, action, domain, behind = [] } = entry;
  const canUndo = useCan('editor') && !isFinal(entry);
  const [open, setOpen] = useState(false);
  const undo = useUndo(`/changelog/${id}/revert`, onUndone);
  const { sign } = WORDS[action];
  const fields = useMemo(() => fieldsOf(entry.diff), [entry.diff]);
  const named = useMemo(() => namedFields(entry), [entry]);
  const subject = (
    <a
      href={`/changelog?domain=${encodeURIComponent(domain)}`}
      title={`All changes to ${kindOf(entry)}`}
    >
      {subjectOf(domain)}
    </a>
  );

  return (
    <li class="change" id={`change-${id}`} tabIndex={-1}>
      <div class="line baseline">
        <span class={`change-sign muted change-${action}`} aria-hidden="true">
          {sign}
        </span>
        <div class="grow">
          {summary === undefined ? <>{wordOf(entry)} </> : <>{summary}, by </>}
          {subject}
          {summary === undefined && <FieldValues fields={named} />}
          <ByLine of={entry} behind={behind} />
        </div>
        {canUndo && (
          <ConfirmButton
            button="Undo"
            describedBy={`change-${id}`}
            title="Undo this change?"
            action="Undo this change"
            kind={action === 'create' ? 'danger' : 'primary'}
            onConfirm={undo.run}
          >
            <p>{undoSentence(entry)}</p>
            {fields.length > 0 && <FieldDiff fields={reversed(fields)} />}
            {isServed(entry) && (
              <ChangeQuestions of={[{ op: 'undo', id }]} isGuard={areGuards(fields)} />
            )}
            <p class="muted">The undo is recorded as a new change, which you can undo as well.</p>
          </ConfirmButton>
        )}
      </div>
      <UndoOutcome of={undo} find={find} />
      {!named.every(isInLine) && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary class="small muted">What changed</summary>
          {open && <FieldDiff fields={fields} />}
        </details>
      )}
    </li>
  );
}
