/** Loads from the hub for a page, and again as often as it wants. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, sentenceOf } from './api.ts';
import { useAnswers } from './hub.ts';

export type Loaded<T> = {
  /** What was loaded last; undefined before the first answer. */
  data: T | undefined;
  /** Why the last load failed, in a sentence; null if it worked. */
  error: string | null;
  loading: boolean;
  /** Loads again; `data` stays until the answer arrives. */
  reload: () => Promise<void>;
  /** Changes `data` without loading, for instance to the answer to a change. */
  set: (change: (data: T | undefined) => T | undefined) => void;
};

/**
 * Loads at once, when `key` changes, and after a failure as soon as hub and agent answer again.
 * @param key answers to older keys are dropped
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<string | null>(null);
  const [loading, setLoading] = useState(true);
  const latest = useRef(load);
  latest.current = load;
  const running = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setLoading(true);
    try {
      const next = await latest.current(own.signal);
      if (own.signal.aborted) return;
      setData(() => next);
      setError(null);
    } catch (reason) {
      if (own.signal.aborted) return;
      setError(sentenceOf(reason));
    }
    setLoading(false);
  }, []);

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [key, reload]);

  const answers = useAnswers();
  const failed = useRef(false);
  failed.current = error !== null;
  useEffect(() => {
    if (answers && failed.current) void reload();
  }, [answers, reload]);

  return { data, error, loading, reload, set: setData };
}

/** As `useLoad`, what the API answers to `path`. @param turn loads again when it changes */
export const useGet = <T>(path: string, turn?: unknown): Loaded<T> =>
  useLoad(`${path} ${turn}`, (signal) => get<T>(path, signal));

/** Calls the latest `run` every so many milliseconds; not at once. */
export function useEvery(milliseconds: number, run: () => unknown): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}

/** Of a change that was refused: loads what it was based on, so that the next attempt is about what is there now. */
export const again =
  ({ reload }: Pick<Loaded<unknown>, 'reload'>) =>
  async (reason: unknown): Promise<never> => {
    if (reason instanceof ApiError && reason.status !== 0) await reload();
    throw reason;
  };
