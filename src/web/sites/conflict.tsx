/** Somebody else changed the site while it was edited: both are shown, and one is chosen. */
import type { Vhost } from '../lib/types.ts';
import { changedFields, type Draft, draftOf } from './draft.ts';

type Props = {
  /** What was loaded first. */
  base: Draft;
  draft: Draft;
  theirs: Vhost;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
};

const NAMES = { domain: 'Domain', upstream: 'Upstream', config: 'Config', enabled: 'Served' };
const shown = (value: string | boolean) =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : value || '(none)';

export function Conflict({ base, draft, theirs, onTakeTheirs, onKeepMine }: Props) {
  const theirDraft = draftOf(theirs);
  const fields = changedFields(base, theirDraft);
  const both = fields.filter((field) => draft[field] !== base[field]);
  return (
    <div class="notice notice-warning" role="alert">
      <strong>Somebody else changed this site meanwhile</strong>
      <p>
        {both.length === 0
          ? 'They changed other fields than you did: keeping yours keeps theirs as well.'
          : 'You both changed the same field: keeping yours takes theirs back.'}
      </p>
      <dl class="conflict">
        {fields.map((field) => (
          <div key={field}>
            <dt>{NAMES[field]}, as it is now</dt>
            <dd>
              <pre class="proxy-words">{shown(theirDraft[field])}</pre>
            </dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={onTakeTheirs}>
          Take theirs, drop mine
        </button>
        <button type="button" class="primary" onClick={onKeepMine}>
          Keep mine
        </button>
      </div>
    </div>
  );
}
