/** Asks the hub, while the user types, which certificates the form's site would get. */
import { useEffect, useState } from 'preact/hooks';
import { request } from '../lib/api.ts';
import type { DraftAdvice } from '../lib/types.ts';
import { isComplete, type Proxied } from './draft.ts';

/** Longer than the preview's pause, which matters more. */
const PAUSE_MS = 700;

/** Null while nothing is known, also of a draft that would be refused: the preview explains that. */
export function useHttpsAdvice({ domain, config, upstream }: Proxied): DraftAdvice | null {
  const [advice, setAdvice] = useState<DraftAdvice | null>(null);
  useEffect(() => {
    const body = { domain, config, upstream };
    if (!isComplete(body) || /^http:/i.test(domain.trim())) {
      setAdvice(null);
      return;
    }
    const own = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await request<DraftAdvice>('/certificates/advice', {
        body,
        signal: own.signal,
      }).catch(() => null);
      if (!own.signal.aborted) setAdvice(answer?.body ?? null);
    }, PAUSE_MS);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [domain, config, upstream]);
  return advice;
}
