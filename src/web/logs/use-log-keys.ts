/** Keyboard shortcuts: Alt with the page keys anywhere, letters only if the focus is in the log. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export type LogKeys = {
  older: () => void;
  newer: () => void;
  /** Undefined while the log is not live. */
  pause: (() => void) | undefined;
};

const TAKES_KEYS = 'a, button, input, select, textarea, summary, dialog';

/** @param log the part of the page in which letters are shortcuts (WCAG 2.2, 2.1.4) */
export function useLogKeys(log: RefObject<HTMLElement | null>, keys: LogKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { older, newer, pause } = latest.current;
      const element = event.target instanceof Element ? event.target : document.body;
      if (event.ctrlKey || event.metaKey || event.shiftKey || element.closest('dialog')) return;
      const isInLog = log.current?.contains(element) && !element.matches('input, select');
      let act: (() => void) | undefined;
      if (event.altKey) {
        if (event.key === 'PageDown') act = older;
        if (event.key === 'PageUp') act = newer;
      } else if (event.key === ' ' && !element.closest(TAKES_KEYS)) act = pause;
      else if (isInLog && event.key === 'n') act = older;
      else if (isInLog && event.key === 'p') act = newer;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [log]);
}
