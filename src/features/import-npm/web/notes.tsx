/** What an import has to say about its sites: by how grave it is, each text once. */
import { useCan } from '../../../web/lib/roles.ts';
import { WithCode } from '../../../web/parts/notice.tsx';
import type { Note } from '../npm/notes.ts';
import { dnsNamesIn, groupsOf, type Remark } from './groups.ts';

export const NpmNotes = ({ notes }: { notes: readonly Note[] }) => (
  <>
    {groupsOf(notes).map(({ title, isFolded, texts }) => (
      <details key={title} open={!isFolded}>
        <summary>{title}</summary>
        <ul>
          {texts.map((remark) => (
            <RemarkItem key={remark.text} remark={remark} />
          ))}
        </ul>
      </details>
    ))}
  </>
);

/** More domains are shown on demand. */
const FIRST = 4;

function RemarkItem({ remark }: { remark: Remark }) {
  const isOwner = useCan('owner');
  const { text, domains } = remark;
  const more = domains.slice(FIRST);
  const names = dnsNamesIn(text);
  return (
    <li>
      <WithCode text={text} />
      {domains.length > 0 && (
        <div class="mono small muted">{domains.slice(0, FIRST).join(', ')}</div>
      )}
      {more.length > 0 && (
        <details class="small muted">
          <summary>and {more.length} more</summary>
          <span class="mono">{more.join(', ')}</span>
        </details>
      )}
      {isOwner && names.length > 0 && (
        <div>
          <a href={`/certificates?dns=${names.join('+')}`} target="_blank" rel="noreferrer">
            Get it by DNS
          </a>
        </div>
      )}
    </li>
  );
}
