/** All there is of a request whose values do not fit into a row. */

import type { LogEntry } from '../lib/types.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { shown } from './hostile.ts';

/** Characters; a path may have a million, which no page shows quickly. */
const MOST = 10_000;

export function WholeEntry({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  return (
    <Dialog title="The whole request" onClose={onClose}>
      <LongText label="Domain" text={entry.domain} />
      <LongText label="Path" text={entry.path} />
      <div class="actions">
        <CopyButton text={entry.path} label="Copy the path" />
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
      {text.length > MOST && <p class="muted">The first {MOST.toLocaleString('en')} of them:</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which keys must do too */}
      <section class="log-long" tabIndex={0} aria-label={label}>
        <pre>{shown(text, MOST)}</pre>
      </section>
    </>
  );
}
