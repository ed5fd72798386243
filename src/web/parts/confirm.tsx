/** Asks before something that cannot be taken back; optionally the name has to be typed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { wordsOf } from '../lib/api.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  /** What the button says, `Delete site`. */
  action: string;
  /** `primary` for what destroys nothing. */
  kind?: 'danger' | 'primary';
  /** What has to be typed before. */
  name?: string;
  /** What it does; an error it throws is shown in the dialog. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
};

export function Confirm(props: Props) {
  const { title, action, kind = 'danger', name, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const ready = name === undefined || typed.trim() === name;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
    } catch (reason) {
      setError(wordsOf(reason));
      setBusy(false);
    }
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {name !== undefined && (
          <Field label={`Type ${name} to confirm`}>
            {(attributes) => (
              <input
                {...attributes}
                class="mono"
                value={typed}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {error && <Notice kind="error">{error}</Notice>}
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={kind} disabled={!ready || busy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
