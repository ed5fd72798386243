/** Whether the proxy would take what stands in the form, asked while one types. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, request } from '../lib/api.ts';
import type { Preview } from '../lib/types.ts';
import { changesFrom, type Draft, isAskable } from './draft.ts';

export type Verdict =
  | { state: 'idle' | 'asking' }
  | { state: 'valid'; diff: string }
  | { state: 'refused'; message: string; line: number | null }
  /** Caddy was not asked: the hub knows why it cannot be, or could not ask. */
  | { state: 'unasked'; message: string };

/** Long enough to end a word. */
const PAUSE_MS = 400;

/** @param base what is stored; null for a new site */
export function usePreview(id: number | null, base: Draft | null, draft: Draft): Verdict {
  const [verdict, setVerdict] = useState<Verdict>({ state: 'idle' });
  const key = JSON.stringify([base, draft]);

  useEffect(() => {
    const changes = base ? changesFrom(base, draft) : draft;
    if (!isAskable(draft) || Object.keys(changes).length === 0) {
      setVerdict({ state: 'idle' });
      return;
    }
    const own = new AbortController();
    setVerdict((old) => (old.state === 'idle' ? { state: 'asking' } : old));
    const timer = setTimeout(async () => {
      const operation = id === null ? { op: 'create', ...draft } : { op: 'update', id, ...changes };
      try {
        const { body } = await request<Preview>('/preview', {
          body: operation,
          signal: own.signal,
        });
        setVerdict(
          body.valid
            ? { state: 'valid', diff: body.diff }
            : { state: 'refused', message: body.detail ?? 'It is refused.', line: body.line },
        );
      } catch (reason) {
        if (own.signal.aborted) return;
        setVerdict(
          reason instanceof ApiError && reason.status !== 0
            ? reason.code === 'PROXY_REJECTED'
              ? { state: 'refused', message: reason.detail ?? reason.message, line: reason.line }
              : { state: 'unasked', message: reason.message }
            : { state: 'idle' },
        );
      }
    }, PAUSE_MS);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [key, id]);

  return verdict;
}
