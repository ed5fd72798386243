/** A choice that this browser remembers. */
import { useState } from 'preact/hooks';

/** @param name under which it is kept @returns the choice, and a function that changes it */
export function useKept(name: string, initial: boolean): [boolean, (next: boolean) => void] {
  const key = `signalbox.${name}`;
  const [value, setValue] = useState(() => read(key) ?? initial);
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(key, String(next));
      } catch {
        // Private windows may not store anything: the choice lasts as long as the page.
      }
    },
  ];
}

function read(key: string): boolean | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : text === 'true';
  } catch {
    return undefined;
  }
}
