/** Asks the requests of the last week of a change, and follows how far that is. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, send } from '../../../web/lib/api.ts';
import type { ReplayView } from '../routes.ts';

const EVERY_MS = 500;

type Asking = {
  /** What has been found so far; null before the first answer, and after a cancel. */
  found: ReplayView | null;
  /** Why there was no answer; null if there was. */
  error: unknown;
  busy: boolean;
  run: () => void;
  cancel: () => void;
};

/** The last one of this page: the hub refuses another before it has ended. */
let last: Promise<void> = Promise.resolve();

/**
 * Ends the replay when the component goes, or the page.
 * @param start begins one. @returns its id
 */
export function useReplay(start: () => Promise<string>): Asking {
  const [found, setFound] = useState<ReplayView | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);

  const follow = async (before: Promise<void>, { signal }: AbortController) => {
    let id: string | undefined;
    let isOver = false;
    try {
      await before;
      if (signal.aborted) return;
      id = await start();
      while (!isOver && !signal.aborted) {
        const next = await get<ReplayView>(`/replays/${id}`, signal);
        setFound(next);
        isOver = next.state !== 'running';
        if (!isOver) await pause(signal);
      }
    } catch (reason) {
      if (!signal.aborted) setError(reason);
    }
    if (!signal.aborted) setBusy(false);
    if (id !== undefined && !isOver) await send('DELETE', `/replays/${id}`).catch(() => {});
  };
  const run = () => {
    setBusy(true);
    setFound(null);
    setError(null);
    running.current = new AbortController();
    last = follow(last, running.current);
  };
  const cancel = () => {
    running.current?.abort();
    setBusy(false);
    setFound(null);
  };
  useEffect(() => {
    addEventListener('pagehide', cancel);
    return () => {
      removeEventListener('pagehide', cancel);
      running.current?.abort();
    };
  }, []);
  return { found, error, busy, run, cancel };
}

/** Until it is time to look again, or there is nothing left to look for. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, EVERY_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
