/** Why a change was not taken back, and by which later ones. */
import type { ApiError } from '../lib/api.ts';
import type { Entry } from '../lib/types.ts';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { laterIds, subjectOf, WORDS } from './describe.ts';

type Props = { error: ApiError; find: (id: number) => Entry | undefined };

export function UndoRefused({ error, find }: Props) {
  const later = laterIds(error.detail);
  return (
    <Notice
      kind="error"
      title={error.message}
      detail={later.length === 0 ? error.detail : undefined}
    >
      {later.length > 0 && (
        <>
          Nothing was changed. It was changed since by:
          <ul class="later">
            {later.map((id) => (
              <li key={id}>
                <Later id={id} entry={find(id)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error.code === 'IMPORT_FIRST' && <a href="/import">Import what Caddy serves</a>}
    </Notice>
  );
}

function Later({ id, entry }: { id: number; entry: Entry | undefined }) {
  if (!entry) return <>change {id}, which is not shown here</>;
  return (
    <>
      <a href={`#change-${id}`}>
        {WORDS[entry.action].word.toLowerCase()} {subjectOf(entry.domain)}
      </a>
      , {entry.userName}, <Time at={entry.createdAt} />
    </>
  );
}
