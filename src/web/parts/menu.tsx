/** A menu of actions behind a “⋯” button. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export type MenuItem = { title: string } & (
  | { act: () => void; isDanger?: boolean }
  /** `isAway`: another website, in a new tab. */
  | { to: string; isAway?: boolean }
);

/** Pixels from the edge of the button to that of the menu. */
const GAP = 4;

/**
 * The items exist only while the menu is open. It is opened by click, Enter, Space or an arrow key, and closed by Escape,
 * Tab, a click elsewhere or scrolling; the focus then returns to the button.
 * @param label what the menu is for, such as `Actions of app.example`
 */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => list.current?.hidePopover();

  useEffect(() => {
    if (!isOpen) return;
    addEventListener('scroll', close, { passive: true });
    return () => removeEventListener('scroll', close);
  }, [isOpen]);

  const place = () => {
    const { top = 0, bottom = 0, right = 0 } = button.current?.getBoundingClientRect() ?? {};
    const { clientWidth, clientHeight } = document.documentElement;
    const isLow = bottom > clientHeight / 2;
    Object.assign(list.current?.style ?? {}, {
      right: `${clientWidth - right}px`,
      top: isLow ? 'auto' : `${bottom + GAP}px`,
      bottom: isLow ? `${clientHeight - top + GAP}px` : 'auto',
    });
  };
  const move = (event: KeyboardEvent) => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === 'Tab') close();
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet"
        aria-haspopup="menu"
        aria-label={label}
        popovertarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          list.current?.showPopover();
        }}
      >
        <Icon name="more" />
      </button>
      <div
        ref={list}
        id={id}
        class="menu-list"
        popover="auto"
        role="menu"
        aria-label={label}
        onBeforeToggle={({ newState }) => {
          if (newState !== 'open') return;
          place();
          setOpen(true);
        }}
        onToggle={({ newState, currentTarget }) => {
          // Only now, as the browser returns the focus from an item that still exists.
          setOpen(newState === 'open');
          currentTarget.querySelector<HTMLElement>('[role=menuitem]')?.focus();
        }}
        onKeyDown={move}
        onClick={close}
      >
        {isOpen && items.map((item) => <Item key={item.title} item={item} />)}
      </div>
    </>
  );
}

function Item({ item }: { item: MenuItem }) {
  const { title } = item;
  if ('to' in item) {
    return (
      <a
        role="menuitem"
        class="button quiet"
        href={item.to}
        {...(item.isAway && { target: '_blank', rel: 'noreferrer' })}
      >
        {title}
      </a>
    );
  }
  return (
    <button
      type="button"
      role="menuitem"
      class={item.isDanger ? 'quiet bad' : 'quiet'}
      onClick={item.act}
    >
      {title}
    </button>
  );
}
