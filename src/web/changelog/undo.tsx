/** Undoes a change or a group of them, and shows what became of that. */
import { useState } from 'preact/hooks';
import { ApiError, send } from '../lib/api.ts';
import type { Entry } from '../lib/types.ts';
import { Notice } from '../parts/notice.tsx';
import { ClockTime } from '../parts/time.tsx';
import { subjectOf, wordOf } from './describe.ts';

/** Finds an entry on the page; `isAlone` if it is shown by itself, and not as part of a group. */
export type Find = (id: number) => { entry: Entry; isAlone: boolean } | undefined;

type Undo = {
  /** Once it is confirmed. */
  run: () => Promise<void>;
  isUndone: boolean;
  refusal: ApiError | null;
};

/** @param path of the route that undoes it */
export function useUndo(path: string, onUndone: () => Promise<void>): Undo {
  const [isUndone, setUndone] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const run = async () => {
    setUndone(false);
    setRefusal(null);
    try {
      await send('POST', path);
    } catch (reason) {
      if (!(reason instanceof ApiError)) throw reason;
      setRefusal(reason);
      return;
    }
    setUndone(true);
    await onUndone();
  };
  return { run, isUndone, refusal };
}

export function UndoOutcome({ of: { isUndone, refusal }, find }: { of: Undo; find: Find }) {
  return (
    <>
      {isUndone && (
        <p class="change-undone good strong" role="status">
          <span aria-hidden="true">✓ </span>Undone
        </p>
      )}
      {refusal && <UndoRefused error={refusal} find={find} />}
    </>
  );
}

/** Explains why a change was not undone, and lists the later changes in the way. */
function UndoRefused({ error, find }: { error: ApiError; find: Find }) {
  const later = error.changes;
  return (
    <Notice
      kind="error"
      title={error.message}
      detail={later.length === 0 || error.code === 'CHANGED_SINCE' ? error.detail : undefined}
    >
      {later.length > 0 && (
        <>
          Undo these first:
          <ul>
            {later.map((id) => (
              <li key={id}>
                <Later id={id} found={find(id)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error.code === 'IMPORT_FIRST' && <a href="/import">Import Caddy’s sites</a>}
    </Notice>
  );
}

function Later({ id, found }: { id: number; found: ReturnType<Find> }) {
  if (!found) return <>change {id}, which is not on this page</>;
  const { entry, isAlone } = found;
  return (
    <>
      <a href={isAlone ? `#change-${id}` : `/changelog?group=${entry.group}#change-${id}`}>
        {wordOf(entry).toLowerCase()} {subjectOf(entry.domain)}
      </a>
      , {entry.userName}, <ClockTime at={entry.createdAt} />
    </>
  );
}
