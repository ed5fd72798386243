/** A list of thousands of rows of equal height that renders only the visible ones. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  items: readonly T[];
  /** Pixels. */
  rowHeight: number;
  keyOf: (item: T) => string | number;
  label: string;
  children: (item: T) => ComponentChildren;
};

/** Rows rendered beyond each edge, so that quick scrolling shows no gaps. */
const MARGIN = 12;

/** Scrolls with the window; the list has its full height from the start. */
export function VirtualRows<T>({ items, rowHeight, keyOf, label, children }: Props<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [range, setRange] = useState({ first: 0, last: 60 });

  const update = useCallback(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN);
    const last = Math.ceil((innerHeight - top) / rowHeight) + MARGIN;
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
  }, [rowHeight]);

  useEffect(() => {
    update();
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    return () => {
      removeEventListener('scroll', update);
      removeEventListener('resize', update);
    };
  }, [update]);

  const first = Math.min(range.first, Math.max(0, items.length - 1));
  const visible = items.slice(first, range.last);
  return (
    <ul
      ref={list}
      class="virtual-rows"
      aria-label={label}
      style={{ height: `${items.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
    >
      {visible.map((item, at) => (
        <li
          key={keyOf(item)}
          aria-setsize={items.length}
          aria-posinset={first + at + 1}
          class="virtual-row"
          style={{ height: `${rowHeight}px` }}
        >
          {children(item)}
        </li>
      ))}
    </ul>
  );
}
