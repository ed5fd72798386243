/** What many sites of the list suffer from, said once. */
import { plural } from '../../lib/format.ts';
import { type Row, sharedReasons } from './rows.ts';

export function SharedReasons({ rows }: { rows: readonly Row[] }) {
  const shared = [...sharedReasons(rows)];
  if (shared.length === 0) return null;
  return (
    <ul class="plain small" aria-label="Shared by several sites">
      {shared.map(([reason, count]) => (
        <li key={reason} class="line" title={reason}>
          <span class="lamp lamp-bad" aria-hidden="true" />
          <strong class="nowrap">{plural(count, 'site')}</strong>
          <span class="cut">{reason}</span>
        </li>
      ))}
    </ul>
  );
}
