/** Choices that this browser remembers. */
import { useState } from 'preact/hooks';

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

/** Null if nothing is kept under that name. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`signalbox.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(`signalbox.${name}`, text);
  } catch {
    // Private windows may not store anything: the choice lasts as long as the page.
  }
}
