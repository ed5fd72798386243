/** A button that shows the keyboard shortcuts of the log. */
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';

const KEYS = [
  ['Arrow keys, j, k', 'Move between the values in the table'],
  ['Enter', 'Filter by the focused value'],
  ['Home, End', 'Go to the first or last value of the row; with Ctrl, of the table'],
  ['n, p', 'In the table: next (older) or previous (newer) page'],
  ['Alt + Page Down, Page Up', 'Anywhere: next (older) or previous (newer) page'],
  ['Space', 'Pause or resume the live log, unless a button or field has the focus'],
] as const;

export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Keyboard shortcuts
      </button>
      {isOpen && (
        <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
          <dl class="log-keys">
            {KEYS.map(([key, text]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <div class="actions">
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
