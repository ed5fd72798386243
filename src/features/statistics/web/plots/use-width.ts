/** How wide an element is. */
import { useEffect, useState } from 'preact/hooks';

/** @returns a ref for the element, and its width in pixels, 0 until it is known */
export function useWidth(): [(element: Element | null) => void, number] {
  const [element, setElement] = useState<Element | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}
