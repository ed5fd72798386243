/** Lets the user choose when someone else changed the site they were editing. */
import { wordsOfCheck } from '../checks/words.ts';
import type { Vhost } from '../lib/types.ts';
import { changedFields, type Draft, type DraftField, draftOf } from './draft.ts';

type Props = {
  /** The site as it was loaded. */
  base: Draft;
  draft: Draft;
  theirs: Vhost;
};

const NAMES: Record<DraftField, string> = {
  domain: 'Domain',
  upstream: 'Forward to',
  policies: 'Policies',
  tags: 'Tags',
  agents: 'Where it is served',
  check: 'Check',
  config: 'Config',
  enabled: 'Served',
};
function textOf(draft: Draft, field: DraftField): string {
  if (field === 'check') return draft.check ? wordsOfCheck(draft.check) : '(none)';
  const value = draft[field];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : value.join(', ');
  return text || (field === 'agents' ? 'everywhere' : '(none)');
}

export function Conflict({ base, draft, theirs }: Props) {
  const theirDraft = draftOf(theirs);
  const fields = changedFields(base, theirDraft);
  const both = changedFields(base, draft).filter((field) => fields.includes(field));
  return (
    <div class="notice notice-warning" role="alert">
      <strong>Someone else changed this site while you were editing it</strong>
      <p>
        {both.length === 0
          ? 'They changed different fields: if you keep your changes, theirs stay as well.'
          : 'You changed the same field: if you keep your changes, theirs are lost.'}
      </p>
      <dl class="conflict">
        {fields.map((field) => (
          <div key={field}>
            <dt>{NAMES[field]} is now</dt>
            <dd>
              <pre class="proxy-words">{textOf(theirDraft, field)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
