/** Shows the values of a request that are too long for a row. */
import type { LogEntry } from '../lib/types.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { shown } from './hostile.ts';

/** Characters; a path may have a million, too many to show quickly. */
const MAX_SHOWN = 10_000;

export function WholeEntry({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  return (
    <Dialog title="Full request" onClose={onClose}>
      <LongText label="Domain" text={entry.domain} />
      <LongText label="Path" text={entry.path} />
      <div class="actions">
        <CopyButton text={entry.path} label="Copy path" />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function LongText({ label, text }: { label: string; text: string }) {
  return (
    <>
      <h3 class="log-long-label">
        {label}, {text.length.toLocaleString('en')} characters
      </h3>
      {text.length > MAX_SHOWN && (
        <p class="muted">Showing the first {MAX_SHOWN.toLocaleString('en')}:</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <section class="log-long" tabIndex={0} aria-label={label}>
        <pre>{shown(text, MAX_SHOWN)}</pre>
      </section>
    </>
  );
}
