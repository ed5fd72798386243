/** A dialog that asks for confirmation, if need be by typing a name. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { wordsOf } from '../lib/api.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { TextField } from './text-field.tsx';

type Props = {
  title: string;
  /** The button's label, such as `Delete site`. */
  action: string;
  /** `primary` if nothing is lost. */
  kind?: 'danger' | 'primary';
  /** What has to be typed to confirm. */
  name?: string;
  /** The dialog shows what it throws; it has to be closed by the caller. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
};

export function Confirm(props: Props) {
  const { title, action, kind = 'danger', name, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const { busy, error, run } = useSubmit(onConfirm);
  const ready = name === undefined || typed.trim() === name;

  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitWith(() => ready && run())}>
        {children}
        {name !== undefined && (
          <TextField
            label={`Type ${name} to confirm`}
            type="text"
            class="mono"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
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
