/** What the keyboard does here. */
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';

const KEYS = [
  ['Arrow keys', 'from value to value in the table; j and k go down and up'],
  ['Enter', 'filters by the value'],
  ['Home, End', 'first and last value of a row; with Ctrl of the table'],
  ['n, p', 'in the table: older and newer page'],
  ['Alt + Page Down, Page Up', 'older and newer page, from anywhere'],
  ['Space', 'holds the live log and lets it go on, where no button or field has the focus'],
] as const;

export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Keys
      </button>
      {isOpen && (
        <Dialog title="Keys" onClose={() => setOpen(false)}>
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
