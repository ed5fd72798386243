/** Explains why a change was not undone, and lists the later changes in the way. */
import type { ApiError } from '../lib/api.ts';
import type { Entry } from '../lib/types.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import { Notice } from '../parts/notice.tsx';
import { wordOf } from './describe.ts';
import { subjectOf } from './subject.ts';

type Props = { error: ApiError; find: (id: number) => Entry | undefined };

export function UndoRefused({ error, find }: Props) {
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
