/** A change: what, who and when, with its diff and an undo button. */
import { useState } from 'preact/hooks';
import { ApiError, send } from '../lib/api.ts';
import type { Entry } from '../lib/types.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { undoSentence, WORDS, wordOf } from './describe.ts';
import { FieldDiff } from './field-diff.tsx';
import { fieldsOf, reversed } from './fields.ts';
import { isFinal, kindOf, subjectOf } from './subject.ts';
import { UndoRefused } from './undo-refused.tsx';

type Props = {
  entry: Entry;
  find: (id: number) => Entry | undefined;
  /** Called after the change was undone. */
  onUndone: () => Promise<void>;
};

export function EntryView({ entry, find, onUndone }: Props) {
  const { id, action, domain, userId, userName, via, createdAt, behind = [] } = entry;
  const [asking, setAsking] = useState(false);
  const [open, setOpen] = useState(false);
  const [undone, setUndone] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const { sign } = WORDS[action];
  const fields = fieldsOf(entry.diff);

  const undo = async () => {
    setUndone(false);
    setRefusal(null);
    try {
      await send('POST', `/changelog/${id}/revert`);
    } catch (reason) {
      if (!(reason instanceof ApiError)) throw reason;
      setAsking(false);
      setRefusal(reason);
      return;
    }
    setAsking(false);
    setUndone(true);
    await onUndone();
  };

  return (
    <li class="change" id={`change-${id}`} tabIndex={-1}>
      <div class="change-head">
        <span class={`change-sign change-${action}`} aria-hidden="true">
          {sign}
        </span>
        <p class="change-what">
          {wordOf(entry)}{' '}
          <a
            href={`/changelog?domain=${encodeURIComponent(domain)}`}
            title={`All changes to ${kindOf(entry)}`}
          >
            {subjectOf(domain)}
          </a>
          <span class="change-who">
            <a
              href={`/changelog?user=${encodeURIComponent(userId)}`}
              title="All changes by this person"
            >
              {userName}
            </a>
            {via !== null && (
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
                <span class="change-behind">
                  {behind.join(', ')} {behind.length === 1 ? 'was' : 'were'} behind
                </span>
              </>
            )}
          </span>
        </p>
        {!isFinal(entry) && (
          <button type="button" aria-describedby={`change-${id}`} onClick={() => setAsking(true)}>
            Undo
          </button>
        )}
      </div>
      {undone && (
        <p class="change-undone" role="status">
          <span aria-hidden="true">✓ </span>Undone
        </p>
      )}
      {refusal && <UndoRefused error={refusal} find={find} />}
      {fields.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            What changed: <span class="mono">{fields.map(({ field }) => field).join(', ')}</span>
          </summary>
          {open && <FieldDiff fields={fields} />}
        </details>
      )}
      {asking && (
        <Confirm
          title="Undo this change?"
          action="Undo this change"
          kind={action === 'create' ? 'danger' : 'primary'}
          onConfirm={undo}
          onClose={() => setAsking(false)}
        >
          <p>{undoSentence(entry)}</p>
          {fields.length > 0 && <FieldDiff fields={reversed(fields)} />}
          <p class="muted">The undo is recorded as a new change, which you can undo as well.</p>
        </Confirm>
      )}
    </li>
  );
}
