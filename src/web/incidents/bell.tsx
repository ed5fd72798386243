/** How many problems are open, and a button that shows them and the last ones. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { count, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Incident } from '../lib/types.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/loading.tsx';
import { worstOf } from './words.ts';

const BellPanel = lazy(async () => (await import('./bell-panel.tsx')).BellPanel);

/** As often as the status. */
const EVERY_MS = 5_000;

/** @param path of the page; another one closes what is open */
export function Bell({ path }: { path: string }) {
  const { offline } = useHub();
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => panel.current?.hidePopover(), [path]);
  const open = useLoad('open', (signal) => get<Incident[]>('/incidents?open=true', signal));
  useEvery(EVERY_MS, () => offline || open.reload());
  const incidents = open.data ?? [];
  const label =
    incidents.length === 0 ? 'No open problems' : plural(incidents.length, 'open problem');
  return (
    <div class="bell">
      <button type="button" class="quiet" popovertarget={id} aria-label={label} title={label}>
        <Icon name="bell" />
        {incidents.length > 0 && (
          <span class={`bell-count bell-${worstOf(incidents)}`} aria-hidden="true">
            {count(incidents.length)}
          </span>
        )}
      </button>
      {/* The browser closes it on Escape and on a click elsewhere, and returns the focus. */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        role="dialog"
        aria-label="Problems"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && <BellPanel open={incidents} />}
      </div>
    </div>
  );
}
