/** Arrow keys for a table of buttons that is a single tab stop (ARIA APG, grid pattern). */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const buttonsOf = (row: Element | null | undefined): HTMLButtonElement[] =>
  row ? [...row.querySelectorAll('button')] : [];

/** The button that a key moves to; undefined if there is none. */
function target(
  button: HTMLButtonElement,
  key: string,
  toEdge: boolean,
): HTMLButtonElement | undefined {
  const row = button.closest('tr');
  const inRow = buttonsOf(row);
  const at = inRow.indexOf(button);
  const beside = (other: Element | null | undefined) => {
    const buttons = buttonsOf(other);
    const column = button.closest('td')?.className ?? '';
    return (
      buttons.find((one) => one.closest('td')?.className === column) ??
      buttons[Math.min(at, buttons.length - 1)]
    );
  };
  // Skips rows without a button.
  const next = (step: 'nextElementSibling' | 'previousElementSibling') => {
    let other = row?.[step];
    while (other && buttonsOf(other).length === 0) other = other[step];
    return beside(other);
  };
  if (key === 'ArrowRight') return inRow[at + 1];
  if (key === 'ArrowLeft') return inRow[at - 1];
  if (key === 'ArrowDown' || key === 'j') return next('nextElementSibling');
  if (key === 'ArrowUp' || key === 'k') return next('previousElementSibling');
  if (key === 'Home') {
    return buttonsOf(toEdge ? row?.parentElement?.firstElementChild : row).at(0);
  }
  if (key === 'End') {
    return buttonsOf(toEdge ? row?.parentElement?.lastElementChild : row).at(-1);
  }
  return undefined;
}

/** @param table whose rows contain the buttons */
export function useGrid(table: RefObject<HTMLTableElement | null>): void {
  const current = useRef<HTMLButtonElement>(undefined);
  const wasInside = useRef(false);

  useEffect(() => {
    const grid = table.current;
    if (!grid) return;
    const onFocus = ({ target: element }: FocusEvent) => {
      wasInside.current = element instanceof Node && grid.contains(element);
      if (!(element instanceof HTMLButtonElement) || !wasInside.current) return;
      if (current.current) current.current.tabIndex = -1;
      current.current = element;
      element.tabIndex = 0;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.metaKey || event.shiftKey) return;
      if (event.ctrlKey && event.key !== 'Home' && event.key !== 'End') return;
      if (!(event.target instanceof HTMLButtonElement)) return;
      const to = target(event.target, event.key, event.ctrlKey);
      if (to) to.focus();
      if (to || event.key.startsWith('Arrow')) event.preventDefault();
    };
    document.addEventListener('focusin', onFocus);
    grid.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('focusin', onFocus);
      grid.removeEventListener('keydown', onKey);
    };
  }, [table]);

  useLayoutEffect(() => {
    const old = current.current;
    if (old && table.current?.contains(old)) return;
    // The button's row is gone: the first button replaces it, and takes over its focus.
    const first = table.current?.querySelector<HTMLButtonElement>('tbody button') ?? undefined;
    current.current = first;
    if (!first) return;
    first.tabIndex = 0;
    if (old && wasInside.current && document.activeElement === document.body) first.focus();
  });
}
