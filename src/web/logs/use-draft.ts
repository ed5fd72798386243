/** A filter while it is being typed; it applies when the typing pauses. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { accepted, type FilterKey } from './filters.ts';
import { filterBy } from './navigation.ts';

const PAUSE_MS = 300;

export type Draft = {
  text: string;
  isInvalid: boolean;
  type: (text: string) => void;
  /** Applies it at once. */
  finish: () => void;
};

/** @param value the filter in the address; when it changes, it replaces the text */
export function useDraft(key: FilterKey, value: string): Draft {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Going back in the history removes a whole word, not its last letter.
  const hasStep = useRef(false);

  useEffect(() => {
    clearTimeout(timer.current);
    setText((old) => (accepted(key, old) === value ? old : value));
    return () => clearTimeout(timer.current);
  }, [key, value]);

  const apply = (typed: string) => {
    clearTimeout(timer.current);
    const normal = accepted(key, typed);
    if (normal === undefined || normal === value) return;
    filterBy({ [key]: normal }, hasStep.current);
    hasStep.current = true;
  };

  return {
    text,
    isInvalid: accepted(key, text) === undefined,
    type(typed) {
      setText(typed);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => apply(typed), PAUSE_MS);
    },
    finish() {
      apply(text);
      hasStep.current = false;
    },
  };
}
