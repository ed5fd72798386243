/** A change: what, who and when, with its diff and an undo button. */
import { useMemo, useState } from 'preact/hooks';
import type { Entry } from '../lib/types.ts';
import { Confirm } from '../parts/dialog.tsx';
import { DiffView, lineDiff } from '../parts/diff-view.tsx';
import { ByLine } from './by-line.tsx';
import { isFinal, kindOf, subjectOf, undoSentence, WORDS, wordOf } from './describe.ts';
import { type FieldChange, fieldsOf, reversed } from './fields.ts';
import { type Find, UndoOutcome, useUndo } from './undo.tsx';

type Props = {
  entry: Entry;
  /** What the hub says of it, where that is more than its own words. */
  summary?: string;
  find: Find;
  /** Called after the change was undone. */
  onUndone: () => Promise<void>;
};

export function EntryView({ entry, summary, find, onUndone }: Props) {
  const { id, action, domain, behind = [] } = entry;
  const [open, setOpen] = useState(false);
  const undo = useUndo(`/changelog/${id}/revert`, onUndone);
  const { sign } = WORDS[action];
  const fields = fieldsOf(entry.diff);
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
      <div class="change-head line">
        <span class={`change-sign muted change-${action}`} aria-hidden="true">
          {sign}
        </span>
        <p class="change-what">
          {summary === undefined ? <>{wordOf(entry)} </> : <>{summary}, by </>}
          {subject}
          <ByLine of={entry} behind={behind} />
        </p>
        {!isFinal(entry) && (
          <button type="button" aria-describedby={`change-${id}`} onClick={undo.ask}>
            Undo
          </button>
        )}
      </div>
      <UndoOutcome of={undo} find={find} />
      {fields.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            What changed: <span class="mono">{fields.map(({ field }) => field).join(', ')}</span>
          </summary>
          {open && <FieldDiff fields={fields} />}
        </details>
      )}
      {undo.asking && (
        <Confirm
          title="Undo this change?"
          action="Undo this change"
          kind={action === 'create' ? 'danger' : 'primary'}
          onConfirm={undo.confirm}
          onClose={undo.cancel}
        >
          <p>{undoSentence(entry)}</p>
          {fields.length > 0 && <FieldDiff fields={reversed(fields)} />}
          <p class="muted">The undo is recorded as a new change, which you can undo as well.</p>
        </Confirm>
      )}
    </li>
  );
}

/** The changed fields of an update: a line diff for text, old and new value for the rest. */
function FieldDiff({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <dl class="field-diff">
      {fields.map((change) => (
        <div key={change.field}>
          <dt class="tiny strong">{change.field}</dt>
          <dd>
            {change.kind === 'text' ? (
              <TextDiff change={change} />
            ) : (
              <span class="mono">
                <del>{change.old}</del>
                <span aria-hidden="true"> → </span>
                <ins>{change.new}</ins>
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TextDiff({ change }: { change: FieldChange }) {
  const lines = useMemo(() => lineDiff(change.old, change.new), [change.old, change.new]);
  return <DiffView lines={lines} label={`Changes to ${change.field}`} />;
}
