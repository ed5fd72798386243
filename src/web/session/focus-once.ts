/** For the one field a page begins with: it is all there is to do here. */
const seen = new WeakSet<HTMLElement>();

export function focusOnce(element: HTMLElement | null): void {
  if (!element || seen.has(element)) return;
  seen.add(element);
  element.focus();
}
