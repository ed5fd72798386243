/** Whether somebody has scrolled down into something, and reads there. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Pixels; a touch of the wheel is no reading. */
const SLACK = 40;

export function useScrolledAway(element: RefObject<HTMLElement | null>): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const look = () => setAway((element.current?.getBoundingClientRect().top ?? 0) < -SLACK);
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [element]);
  return isAway;
}
