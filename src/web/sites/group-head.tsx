/** The line above the sites of a tag. */
import { plural } from '../lib/format.ts';
import { TagChip } from '../tags/tag-chip.tsx';

const CELL = { role: 'cell' } as const;

type Props = { tag: string | null; count: number };

export const GroupHead = ({ tag, count }: Props) => (
  <td {...CELL} class="site-group">
    {tag === null ? <strong>Without a tag</strong> : <TagChip tag={tag} />}
    <span class="muted">{plural(count, 'site')}</span>
  </td>
);
