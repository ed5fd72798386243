/** The list of keyboard shortcuts, which `?` opens everywhere. */
import { Dialog } from './dialog.tsx';

const KEYS = [
  [
    'Everywhere',
    [
      ['Ctrl + K', 'Go to any site, page, policy or action'],
      ['?', 'Show this list'],
      ['Ctrl + S', 'Save and publish what you are editing'],
      ['Esc', 'Close a dialog; in an editor, let Tab leave it'],
    ],
  ],
  [
    'Sites',
    [
      ['/', 'Search'],
      ['e', 'On the page of a site: edit it'],
    ],
  ],
  [
    'Logs',
    [
      ['Arrow keys, j, k', 'Move between the values in the table'],
      ['Enter', 'Filter by the focused value'],
      ['Home, End', 'Go to the first or last value of the row; with Ctrl, of the table'],
      ['n, p', 'In the table: next (older) or previous (newer) page'],
      ['Alt + Page Down, Page Up', 'Next (older) or previous (newer) page'],
      ['Left, Right, Home, End', 'In the plot: show the figures of a bar'],
      ['Space', 'Pause or resume the live log, unless a button or field has the focus'],
    ],
  ],
] as const;

export const KeysHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    {KEYS.map(([place, keys]) => (
      <section key={place} aria-label={place}>
        <h3>{place}</h3>
        <dl class="facts">
          {keys.map(([key, text]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
    <div class="actions">
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
);
