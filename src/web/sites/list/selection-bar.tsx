/** What can be done to the selected sites: one request and one publish for all of them; then what was done, with an undo. */
import { useState } from 'preact/hooks';
import { send, sentenceOf } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useProxyNames } from '../../lib/hub.ts';
import { MOST, type Relabelled } from '../../lib/relabel.ts';
import type { Vhost } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { lazy } from '../../parts/loading.tsx';
import { type Action, type Done, meantBy, WORDS } from './actions.tsx';

// Loaded when somebody wants them: the list is often the first page.
const dialogs = () => import('../../placement/dialogs.ts');
const fieldDialogs = () => import('./field-dialogs.tsx');
const DIALOGS = {
  Policies: lazy(async () => (await dialogs()).PoliciesDialog),
  Tags: lazy(async () => (await dialogs()).TagsDialog),
  Proxies: lazy(async () => (await fieldDialogs()).ProxiesDialog),
  Check: lazy(async () => (await fieldDialogs()).CheckDialog),
} as const;
type Subject = keyof typeof DIALOGS;

type Props = {
  sites: readonly Vhost[];
  /** How many the list shows. */
  shown: number;
  onAll: () => void;
  onClear: () => void;
  onAct: (action: Action) => void;
  onDone: (done: Done) => Promise<void>;
};

export function SelectionBar({ sites, shown, onAll, onClear, onAct, onDone }: Props) {
  const [subject, setSubject] = useState<Subject | null>(null);
  const proxies = useProxyNames();
  const subjects: Subject[] = [
    'Policies',
    'Tags',
    ...(proxies.length > 0 ? ['Proxies' as const] : []),
    'Check',
  ];
  const Chosen = subject && DIALOGS[subject];
  const button = (words: string, count: number, onClick: () => void) =>
    count > 0 && (
      <button
        key={words}
        type="button"
        disabled={count > MOST}
        title={count > MOST ? `At most ${MOST} at once` : undefined}
        onClick={onClick}
      >
        {words} …
      </button>
    );
  const close = () => setSubject(null);
  return (
    <section class="selection-bar buttons row" aria-label="Selected sites">
      <strong role="status">{sites.length} selected</strong>
      {sites.length < shown && (
        <button type="button" class="link" onClick={onAll}>
          All {shown}
        </button>
      )}
      {subjects.map((name) => button(name, sites.length, () => setSubject(name)))}
      {(['on', 'off', 'delete'] as const).map((action) => {
        const { length } = meantBy(action, sites);
        return button(`${WORDS[action].action} ${length}`, length, () => onAct(action));
      })}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {Chosen && (
        <Dialog
          title={`${subject} of ${sites.length === 1 ? sites[0]?.domain : plural(sites.length, 'site')}`}
          onClose={close}
        >
          <Chosen
            sites={sites}
            onClose={close}
            onDone={async (words: string, { group }: Relabelled) => {
              close();
              await onDone({ words, group });
            }}
          />
        </Dialog>
      )}
    </section>
  );
}

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
