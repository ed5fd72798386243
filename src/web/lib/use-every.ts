/** Repeats something while the page is visible. */
import { useEffect, useRef } from 'preact/hooks';

/** Calls the latest `run` every so many milliseconds; not at once. */
export function useEvery(milliseconds: number, run: () => unknown): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}
