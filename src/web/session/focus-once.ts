/** Focuses the first field of a page that is nothing but a form. As its `ref`. */
const seen = new WeakSet<HTMLElement>();

export function focusOnce(element: HTMLElement | null): void {
  if (!element || seen.has(element)) return;
  seen.add(element);
  element.focus();
}
