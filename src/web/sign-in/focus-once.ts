/** The focus of a page that is nothing but a form. */
const seen = new WeakSet<HTMLElement>();

/** Focuses the first field of a page that is nothing but a form. As its `ref`. */
export function focusOnce(element: HTMLElement | null): void {
  if (!element || seen.has(element)) return;
  seen.add(element);
  element.focus();
}
