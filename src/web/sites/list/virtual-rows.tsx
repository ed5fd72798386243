/** The body of a table with thousands of rows of equal height, of which only the visible ones exist. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  items: readonly T[];
  /** Pixels. */
  rowHeight: number;
  keyOf: (item: T) => string | number;
  isMarked: (item: T) => boolean;
  /** Renders the cells. */
  children: (item: T) => ComponentChildren;
};

/** Rows rendered beyond each edge, so that quick scrolling shows no gaps. */
const MARGIN = 12;
// The style sheet lays it out as a block, which removes the implicit roles.
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row' } as const;

/** Scrolls with the window; it has its full height from the start. The first row counts the heads. */
export function VirtualRows<T>({ items, rowHeight, keyOf, isMarked, children }: Props<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ first: 0, last: 60 });

  const update = useCallback(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
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
    <tbody
      {...GROUP}
      ref={body}
      class="virtual-rows"
      style={{ height: `${items.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
    >
      {visible.map((item, at) => (
        <tr
          key={keyOf(item)}
          {...ROW}
          aria-rowindex={first + at + 2}
          class={isMarked(item) ? 'virtual-row marked' : 'virtual-row'}
          style={{ height: `${rowHeight}px` }}
        >
          {children(item)}
        </tr>
      ))}
    </tbody>
  );
}
