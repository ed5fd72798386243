/** Data from the hub for a page: loaded, kept while it is loaded again, and told where it failed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from './api.ts';
import { useAnswers } from './hub.ts';

export type Loaded<T> = {
  /** The last that was loaded; undefined before the first. */
  data: T | undefined;
  /** A sentence; null where the last load worked. */
  error: string | null;
  loading: boolean;
  /** Loads again; what is shown stays until the answer is there. */
  reload: () => Promise<void>;
  /** Puts something in its place, such as the answer to a change. */
  set: (change: (data: T | undefined) => T | undefined) => void;
};

/**
 * What failed is loaded again once hub and agent answer again.
 * @param key loads again whenever it changes; answers to older keys are dropped
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
