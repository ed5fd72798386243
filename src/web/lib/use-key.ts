/** Keyboard shortcuts of a whole page. */
import { useEffect, useRef } from 'preact/hooks';

const TAKES_TEXT = 'input, textarea, select, dialog, .editor';

/** Calls `act` when that character is typed, but not into a field or a dialog. */
export function useKey(key: string, act: () => void): void {
  useKeyDown((event) => {
    const target = event.target instanceof Element ? event.target : null;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    return event.key === key && isPlain && !target?.closest(TAKES_TEXT) ? act : null;
  });
}

/** Calls `save` on Ctrl+S or ⌘S, unless a dialog is open. */
export function useSaveKey(save: () => void): void {
  useKeyDown((event) => {
    const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey);
    return isSave && !event.altKey && !document.querySelector('dialog[open]') ? save : null;
  });
}

/** @param find what a key does; null leaves it to the browser */
function useKeyDown(find: (event: KeyboardEvent) => (() => void) | null): void {
  const latest = useRef(find);
  latest.current = find;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // The pages stay in the document, hidden, while the user has to sign in again.
      const isHidden = document.querySelector('[hidden] > .shell') !== null;
      const act = event.defaultPrevented || isHidden ? null : latest.current(event);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
