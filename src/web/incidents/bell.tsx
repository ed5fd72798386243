/** How many problems there are, and a button that shows them and the last incidents. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { count, plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/loading.tsx';
import { countedIn, headlineOf, levelOf, titleOf } from '../status/problems.ts';

const BellPanel = lazy(async () => (await import('./bell-panel.tsx')).BellPanel);

/** @param path of the page; another one closes what is open */
export function Bell({ path }: { path: string }) {
  const { status, offline } = useHub();
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => panel.current?.hidePopover(), [path]);
  const problems = offline ? [] : countedIn(status?.problems ?? []);
  const [worst] = problems;
  const label =
    problems.length === 0 ? 'No open problems' : plural(problems.length, 'open problem');
  return (
    <div class="bell">
      <button type="button" class="quiet" popovertarget={id} aria-label={label} title={label}>
        <Icon name="bell" />
        {problems.length > 0 && (
          <span class={`bell-count bell-${levelOf(problems)}`} aria-hidden="true">
            {count(problems.length)}
          </span>
        )}
      </button>
      <span class="visually-hidden" role="status">
        {!offline && status && headlineOf(status)}
        {worst && `: ${titleOf(worst)}`}
      </span>
      {/* The browser closes it on Escape and on a click elsewhere, and returns the focus. */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        role="dialog"
        aria-label="Problems"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && status && <BellPanel status={status} />}
      </div>
    </div>
  );
}
