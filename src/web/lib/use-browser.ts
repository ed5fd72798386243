/** What the browser gives to all pages: choices that it remembers, media queries, sizes, keys. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** @param name under which it is kept @returns the choice, and a function that changes it */
export function useKept(name: string, initial: boolean): [boolean, (next: boolean) => void] {
  const [value, setValue] = useState(() => {
    const kept = readKept(name);
    return kept === null ? initial : kept === 'true';
  });
  return [
    value,
    (next) => {
      setValue(next);
      keep(name, String(next));
    },
  ];
}

/** Kept by `useKept`: whether this device trusts the root of Caddy's own authority, as its user says. */
export const ROOT_INSTALLED = 'root-installed';

/** Null if nothing is kept under that name. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`signalbox.${name}`);
  } catch {
    return null;
  }
}

/** Choices that this browser remembers. */
export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(`signalbox.${name}`, text);
  } catch {
    // Private windows may not store anything: the choice lasts as long as the page.
  }
}

/** Of the style sheets: there is room for the filters and for a fine plot. */
export const WIDE = '(min-width: 801px)';

/** Whether a media query matches, also after it changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}

/** @returns a ref for an element, and how wide that is in pixels, 0 until it is known */
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

const TAKES_TEXT = 'input, textarea, select, dialog, .editor';

/** Calls `act` when that character is typed, but not into a field or a dialog. */
export function useKey(key: string, act: () => void): void {
  useKeyDown((event) => {
    const target = event.target instanceof Element ? event.target : null;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    return event.key === key && isPlain && !target?.closest(TAKES_TEXT) ? act : null;
  });
}

/** As the keyboard of this machine has it. */
export const SEARCH_KEY = /^(Mac|iP)/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** Calls `act` on that letter with Ctrl or ⌘, unless a dialog is open. */
export function useControlKey(letter: string, act: () => void): void {
  useKeyDown((event) => {
    const isIt = event.key.toLowerCase() === letter && (event.ctrlKey || event.metaKey);
    return isIt && !event.altKey && !document.querySelector('dialog[open]') ? act : null;
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
