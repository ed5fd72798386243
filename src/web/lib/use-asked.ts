/** Asks the hub about what somebody types, once they pause. */
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Asks again after each change. What `ask` throws is no answer: somebody else says what is wrong.
 * @param about the question as a text; null: there is nothing to ask
 * @param pause milliseconds
 * @returns the last answer; null while there is none
 */
export function useAsked<T>(
  about: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  pause: number,
): T | null {
  const [answer, setAnswer] = useState<T | null>(null);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (about === null) {
      setAnswer(null);
      return;
    }
    const own = new AbortController();
    const timer = setTimeout(async () => {
      const next = await latest.current(own.signal).catch(() => null);
      if (!own.signal.aborted) setAnswer(() => next);
    }, pause);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [about, pause]);
  return answer;
}
