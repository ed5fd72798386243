/** What can be done to the selected sites: one request and one publish for all of them; then what was done, with an undo. */
import { useState } from 'preact/hooks';
import { send, sentenceOf } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { bulk, MOST, type Relabelled } from '../../lib/relabel.ts';
import type { Vhost } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { lazy } from '../../parts/loading.tsx';

// Loaded when somebody wants them: the list is often the first page.
const dialogs = () => import('../../placement/dialogs.ts');
const PoliciesDialog = lazy(async () => (await dialogs()).PoliciesDialog);
const TagsDialog = lazy(async () => (await dialogs()).TagsDialog);
const ChangeQuestions = lazy(async () => (await dialogs()).ChangeQuestions);

type Action = 'on' | 'off' | 'delete';
const WORDS: Record<Action, { title: string; action: string; done: string; text: string }> = {
  on: { title: 'Turn on', action: 'Turn on', done: 'turned on', text: 'Caddy will serve:' },
  off: { title: 'Turn off', action: 'Turn off', done: 'turned off', text: 'Caddy stops serving:' },
  delete: {
    title: 'Delete',
    action: 'Delete',
    done: 'deleted',
    text: 'Caddy stops serving these at once. You can undo it, here or in the changelog:',
  },
};

type Props = {
  sites: readonly Vhost[];
  onClear: () => void;
  onDone: (done: Done) => Promise<void>;
};

export function SelectionBar({ sites, onClear, onDone }: Props) {
  const [asked, setAsked] = useState<Action | null>(null);
  const [labels, setLabels] = useState<'Policies' | 'Tags' | null>(null);
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
  // Not toggles, which would turn back what someone else has turned meanwhile.
  const operationsOf = (action: Action) =>
    meant(action).map(({ id }) =>
      action === 'delete' ? { op: 'delete', id } : { op: 'update', id, enabled: action === 'on' },
    );
  const act = async (action: Action) => {
    const operations = operationsOf(action);
    const { group } = await bulk(operations);
    setAsked(null);
    await onDone({ words: `${plural(operations.length, 'site')} ${WORDS[action].done}`, group });
  };
  const relabelled = async (words: string, { group }: Relabelled) => {
    setLabels(null);
    await onDone({ words, group });
  };
  const dialog = { sites, onClose: () => setLabels(null), onDone: relabelled };
  const chosen = asked && meant(asked);
  return (
    <section class="selection-bar buttons row" aria-label="Selected sites">
      <strong role="status">{sites.length} selected</strong>
      {(['Policies', 'Tags'] as const).map((name) => (
        <button
          key={name}
          type="button"
          disabled={sites.length > MOST}
          title={sites.length > MOST ? `At most ${MOST} at once` : undefined}
          onClick={() => setLabels(name)}
        >
          {name} …
        </button>
      ))}
      {button('on')}
      {button('off')}
      {button('delete')}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {labels && (
        <Dialog
          title={`${labels} of ${sites.length === 1 ? sites[0]?.domain : plural(sites.length, 'site')}`}
          onClose={() => setLabels(null)}
        >
          {labels === 'Policies' ? <PoliciesDialog {...dialog} /> : <TagsDialog {...dialog} />}
        </Dialog>
      )}
      {asked && chosen && (
        <Confirm
          title={`${WORDS[asked].title} ${plural(chosen.length, 'site')}?`}
          action={`${WORDS[asked].action} ${plural(chosen.length, 'site')}`}
          kind={asked === 'on' ? 'primary' : 'danger'}
          onConfirm={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{WORDS[asked].text}</p>
          <ul class="scroll">
            {chosen.map(({ id, domain }) => (
              <li key={id}>{domain}</li>
            ))}
          </ul>
          <ChangeQuestions of={operationsOf(asked)} />
        </Confirm>
      )}
    </section>
  );
}

export type Done = { words: string } & Pick<Relabelled, 'group'>;

type DoneNoteProps = { done: Done | null; onUndone: () => Promise<void>; onClose: () => void };

/** What was done to a site or to several, with an undo if there is one; in sight wherever the list is scrolled to. */
export function DoneNote({ done, onUndone, onClose }: DoneNoteProps) {
  const [isUndone, setUndone] = useState(false);
  const { busy, error, run } = useSubmit(async (group: number) => {
    await send('POST', `/changelog/groups/${group}/revert`);
    setUndone(true);
    await onUndone();
  });
  if (!done) return <div role="status" />;
  const { words, group } = done;
  return (
    <div role="status" class="selection-bar buttons row">
      <span>
        {words}
        {isUndone && ', and undone'}
      </span>
      {group !== null && !isUndone && (
        <button type="button" class="link" aria-disabled={busy} onClick={() => run(group)}>
          Undo
        </button>
      )}
      {error !== null && <span class="field-error">{sentenceOf(error)}</span>}
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
