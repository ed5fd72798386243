/** Asks Caddy, while the user types, whether it would accept the form's content. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, request } from './api.ts';
import type { Preview } from './types.ts';

/** The policy whose text is at fault, if that is so. */
type Fault = { policy: { name: string; field?: string | null | undefined } | null };

type Warning = NonNullable<Preview['warnings']>[number];

export type Verdict =
  | { state: 'idle' | 'checking' }
  | { state: 'valid'; diff: string; warnings: readonly Warning[] }
  | ({ state: 'refused'; message: string } & Pick<Preview, 'hint' | 'line'> & Fault)
  /** The check did not happen; `message` says why. */
  | { state: 'unchecked'; message: string; hint: string | null };

/** About as long as a pause between two words. */
const PAUSE_MS = 400;

/** @param operation what the hub previews; null: nothing yet */
export function useVerdict(operation: object | null): Verdict {
  const [verdict, setVerdict] = useState<Verdict>({ state: 'idle' });
  const body = JSON.stringify(operation);

  useEffect(() => {
    const operation: object | null = JSON.parse(body);
    if (operation === null) {
      setVerdict({ state: 'idle' });
      return;
    }
    const own = new AbortController();
    setVerdict((old) => (old.state === 'idle' ? { state: 'checking' } : old));
    const timer = setTimeout(async () => {
      try {
        const { body } = await request<Preview>('/preview', {
          body: operation,
          signal: own.signal,
        });
        setVerdict(
          body.valid
            ? { state: 'valid', diff: body.diff, warnings: body.warnings ?? [] }
            : {
                state: 'refused',
                message: body.detail ?? 'Caddy gave no reason.',
                hint: body.hint,
                line: body.line,
                policy: body.policy ?? null,
              },
        );
      } catch (reason) {
        if (own.signal.aborted) return;
        setVerdict(
          reason instanceof ApiError && reason.status !== 0
            ? reason.code === 'PROXY_REJECTED'
              ? refusedBy(reason)
              : { state: 'unchecked', message: reason.message, hint: reason.hint }
            : { state: 'idle' },
        );
      }
    }, PAUSE_MS);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [body]);

  return verdict;
}

const refusedBy = ({ detail, message, hint, line, policy }: ApiError): Verdict => ({
  state: 'refused',
  message: detail ?? message,
  hint,
  line,
  policy,
});
