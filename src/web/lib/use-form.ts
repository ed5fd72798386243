/** What every form needs: its fields, and a submission with its errors. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, wordsOf } from './api.ts';

type Submit<Inputs extends unknown[]> = {
  busy: boolean;
  /** What the last run threw; null after a success and while one is under way. */
  error: unknown;
  /** Starts the work, unless it is already under way; its errors end up in `error`. */
  run: (...inputs: Inputs) => Promise<void>;
  /** Forgets the error. */
  clear: () => void;
};

/** @param work may remove the component it belongs to */
export function useSubmit<Inputs extends unknown[]>(
  work: (...inputs: Inputs) => Promise<void>,
): Submit<Inputs> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  const mounted = useRef(true);
  useEffect(
    () => () => {
      mounted.current = false;
    },
    [],
  );

  const run = async (...inputs: Inputs) => {
    // The state is only current after the next render, which a second click may precede.
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    const failure: unknown = await work(...inputs).then(
      () => null,
      (reason: unknown) => reason,
    );
    running.current = false;
    if (!mounted.current) return;
    setError(failure);
    setBusy(false);
  };
  return { busy, error, run, clear: () => setError(null) };
}

/** As a form's handler: submits with `run` instead of loading a page. */
export const submitWith =
  (run: () => unknown) =>
  (event: Event): void => {
    event.preventDefault();
    void run();
  };

/**
 * Sorts an error to where it is shown: `at` a field, or as a `notice` for the whole form.
 * @param fieldOf the name of the field at fault; the hub's by default
 */
export function placeError<Name extends string>(
  error: unknown,
  names: readonly Name[],
  fieldOf: (error: ApiError) => string | null = ({ field }) => field,
): { at: (name: Name) => string | null; notice: string | null } {
  const field = error instanceof ApiError ? fieldOf(error) : null;
  const words = error === null ? null : wordsOf(error);
  const isPlaced = names.some((name) => name === field);
  return {
    at: (name) => (name === field ? words : null),
    notice: isPlaced ? null : words,
  };
}
