/** A change: what, who and when, with its diff and an undo button. */
import { useMemo, useState } from 'preact/hooks';
import { ApiError, send } from '../lib/api.ts';
import type { Entry } from '../lib/types.ts';
import { Confirm } from '../parts/dialog.tsx';
import { DiffView, lineDiff } from '../parts/diff-view.tsx';
import { Notice } from '../parts/notice.tsx';
import { ClockTime } from '../parts/time.tsx';
import { isFinal, kindOf, subjectOf, undoSentence, WORDS, wordOf } from './describe.ts';
import { type FieldChange, fieldsOf, reversed } from './fields.ts';

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
      <div class="change-head line">
        <span class={`change-sign muted change-${action}`} aria-hidden="true">
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
          <span class="change-who block small muted">
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
        <p class="change-undone strong" role="status">
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

type UndoRefusedProps = { error: ApiError; find: (id: number) => Entry | undefined };

/** Explains why a change was not undone, and lists the later changes in the way. */
function UndoRefused({ error, find }: UndoRefusedProps) {
  const later = error.changes;
  return (
    <Notice
      kind="error"
      title={error.message}
      detail={later.length === 0 ? error.detail : undefined}
    >
      {later.length > 0 && (
        <>
          Undo these first:
          <ul class="later">
            {later.map((id) => (
              <li key={id}>
                <Later id={id} entry={find(id)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error.code === 'IMPORT_FIRST' && <a href="/import">Import Caddy’s sites</a>}
    </Notice>
  );
}

function Later({ id, entry }: { id: number; entry: Entry | undefined }) {
  if (!entry) return <>change {id}, which is not on this page</>;
  return (
    <>
      <a href={`#change-${id}`}>
        {wordOf(entry).toLowerCase()} {subjectOf(entry.domain)}
      </a>
      , {entry.userName}, <ClockTime at={entry.createdAt} />
    </>
  );
}
