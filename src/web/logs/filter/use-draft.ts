/** What is typed into a filter, and the filter in the address that follows it. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filterBy } from './chips.tsx';
import type { FilterKey } from './filters.ts';

type Draft = {
  text: string;
  isInvalid: boolean;
  /** @param isWaiting whether it applies only when the field is left */
  type: (text: string, isWaiting?: boolean) => void;
  /** Applies it at once. */
  finish: () => void;
};

type Kind = {
  /** Milliseconds without another letter, after which it applies. */
  pause: number;
  /** The filter that a text stands for; undefined if it is none. */
  filterOf: (text: string) => string | undefined;
  textOf?: (value: string) => string;
};

/** @param value the filter in the address; if something else changes it, it replaces the text */
export function useDraft(
  key: FilterKey,
  value: string,
  { pause, filterOf, textOf = (one) => one }: Kind,
): Draft {
  const [text, setText] = useState(() => textOf(value));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What this field has set is older than its text, which more may have been typed into since.
  const own = useRef(value);
  // Going back in the history removes a whole word, not its last letter.
  const hasStep = useRef(false);

  // Before the next letter, which a text that is replaced later would not have.
  useLayoutEffect(() => {
    if (value === own.current) return;
    own.current = value;
    clearTimeout(timer.current);
    setText((old) => (filterOf(old) === value ? old : textOf(value)));
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  const apply = (typed: string) => {
    clearTimeout(timer.current);
    const next = filterOf(typed);
    if (next === undefined || next === value || typed === textOf(value)) return;
    own.current = next;
    filterBy({ [key]: next }, hasStep.current);
    hasStep.current = true;
  };

  return {
    text,
    isInvalid: filterOf(text) === undefined,
    type(typed, isWaiting = false) {
      setText(typed);
      clearTimeout(timer.current);
      if (!isWaiting) timer.current = setTimeout(() => apply(typed), pause);
    },
    finish() {
      apply(text);
      hasStep.current = false;
    },
  };
}
