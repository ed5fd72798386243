/** The body of a table with thousands of rows, of which only the visible ones exist. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  items: readonly T[];
  /** Pixels. */
  heightOf: (item: T) => number;
  keyOf: (item: T) => string;
  classOf: (item: T) => string;
  /** Renders the cells. */
  children: (item: T) => ComponentChildren;
};

/** Rows rendered beyond each edge, so that quick scrolling shows no gaps. */
const MARGIN = 12;
// The style sheet lays it out as a block, which removes the implicit roles.
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row' } as const;

/** Scrolls with the window; it has its full height from the start. The first row counts the heads. */
export function VirtualRows<T>({ items, heightOf, keyOf, classOf, children }: Props<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ first: 0, last: 60 });
  // Where each row begins; the last number is the height of all.
  const tops = [0];
  for (const item of items) tops.push((tops.at(-1) ?? 0) + heightOf(item));

  const update = useRef(() => {});
  update.current = () => {
    const { top } = body.current?.getBoundingClientRect() ?? { top: 0 };
    const after = (edge: number) => {
      const at = tops.findIndex((one) => one > edge - top);
      return at === -1 ? items.length : at;
    };
    const first = Math.max(0, after(0) - MARGIN);
    const last = after(innerHeight) + MARGIN;
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
  };
  // What is above the list may have moved it.
  useEffect(() => update.current());
  useEffect(() => {
    const onMove = () => update.current();
    addEventListener('scroll', onMove, { passive: true });
    addEventListener('resize', onMove);
    return () => {
      removeEventListener('scroll', onMove);
      removeEventListener('resize', onMove);
    };
  }, []);

  const first = Math.min(range.first, Math.max(0, items.length - 1));
  return (
    <tbody
      {...GROUP}
      ref={body}
      class="virtual-rows"
      style={{ height: `${tops.at(-1)}px`, paddingTop: `${tops[first]}px` }}
    >
      {items.slice(first, range.last).map((item, at) => (
        <tr
          key={keyOf(item)}
          {...ROW}
          aria-rowindex={first + at + 2}
          class={`virtual-row ${classOf(item)}`}
          style={{ height: `${heightOf(item)}px` }}
        >
          {children(item)}
        </tr>
      ))}
    </tbody>
  );
}
