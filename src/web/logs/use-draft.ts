/** A filter while it is typed: goes into the address when the typing pauses. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { accepted, type FilterKey } from './filters.ts';
import { filterBy } from './place.ts';

const PAUSE_MS = 300;

export type Draft = {
  text: string;
  isRefused: boolean;
  type: (text: string) => void;
  /** Without waiting for a pause. */
  finish: () => void;
};

/** @param value what the address says; a change of it from elsewhere takes the place of the text */
export function useDraft(key: FilterKey, value: string): Draft {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // One step back takes off a whole word, not its last letter.
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
    isRefused: accepted(key, text) === undefined,
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
