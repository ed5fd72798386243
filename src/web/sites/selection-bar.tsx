/** What can be done to the selected sites: one request and one publish for all of them. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import type { Vhost } from '../lib/types.ts';
import { Confirm } from '../parts/confirm.tsx';

/** Of a bulk request. */
const MOST = 1_000;

type Action = 'on' | 'off' | 'delete';
const WORDS: Record<Action, { title: string; action: string; done: string; text: string }> = {
  on: { title: 'Turn on', action: 'Turn on', done: 'turned on', text: 'Caddy will serve:' },
  off: { title: 'Turn off', action: 'Turn off', done: 'turned off', text: 'Caddy stops serving:' },
  delete: {
    title: 'Delete',
    action: 'Delete',
    done: 'deleted',
    text: 'Caddy stops serving them at once. You can restore them from the changelog.',
  },
};

type Props = {
  sites: readonly Vhost[];
  onClear: () => void;
  /** @param words what was done */
  onDone: (words: string) => Promise<void>;
};

export function SelectionBar({ sites, onClear, onDone }: Props) {
  const [asked, setAsked] = useState<Action | null>(null);
  const meant = (action: Action) =>
    action === 'delete' ? sites : sites.filter(({ enabled }) => enabled === (action === 'off'));
  const button = (action: Action) => {
    const { length } = meant(action);
    if (length === 0) return null;
    return (
      <button
        type="button"
        disabled={length > MOST}
        title={length > MOST ? `At most ${MOST} at once` : undefined}
        onClick={() => setAsked(action)}
      >
        {WORDS[action].action} {length} …
      </button>
    );
  };
  const act = async (action: Action) => {
    const of = meant(action);
    // Not toggles, which would turn back what someone else has turned meanwhile.
    const operations = of.map(({ id }) =>
      action === 'delete' ? { op: 'delete', id } : { op: 'update', id, enabled: action === 'on' },
    );
    await send('POST', '/vhosts/bulk', { operations });
    setAsked(null);
    await onDone(`${plural(of.length, 'site')} ${WORDS[action].done}`);
  };
  const chosen = asked && meant(asked);
  return (
    <section class="selection-bar" aria-label="Selected sites">
      <strong role="status">{sites.length} selected</strong>
      {button('on')}
      {button('off')}
      {button('delete')}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {asked && chosen && (
        <Confirm
          title={`${WORDS[asked].title} ${plural(chosen.length, 'site')}?`}
          action={`${WORDS[asked].action} ${plural(chosen.length, 'site')}`}
          kind={asked === 'on' ? 'primary' : 'danger'}
          {...(asked === 'delete' ? { name: `delete ${chosen.length}` } : {})}
          onConfirm={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{WORDS[asked].text}</p>
          <ul class="selected-names">
            {chosen.map(({ id, domain }) => (
              <li key={id}>{domain}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </section>
  );
}
