/** The first ones of a long list, and the button that shows all. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Loaded } from '../lib/use-load.ts';

/** Shown at first. */
const MOST = 10;

/** @returns the list to show, and the button; null if there is nothing more */
export function useFirstOnes<T>(list: Loaded<T[]>): {
  first: Loaded<T[]>;
  more: ComponentChildren;
} {
  const [isAll, setAll] = useState(false);
  const { data } = list;
  if (!data || data.length <= MOST) return { first: list, more: null };
  return {
    first: { ...list, data: isAll ? data : data.slice(0, MOST) },
    more: (
      <button type="button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
        {isAll ? `Show the latest ${MOST}` : `Show all ${data.length}`}
      </button>
    ),
  };
}
