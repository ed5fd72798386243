/** Asks a site without a check how it answers now, and offers that as its check; whether it gets one is up to the user. */
import { useState } from 'preact/hooks';
import { wordsOf } from '../../lib/api.ts';
import { tidied } from '../../lib/check.ts';
import type { Check, Preview } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { AskButton, askNow } from './trial.tsx';

type Props = {
  /** The change of the form, without a check; null while the form is not complete. */
  operation: object | null;
  onAccept: (check: Check) => void;
};

export function SuggestCheck({ operation, onAccept }: Props) {
  const now = JSON.stringify(operation);
  const [found, setFound] = useState<{ of: string; by: ReturnType<typeof suggestedBy> } | null>(
    null,
  );
  const { busy, error, run } = useSubmit(async () => {
    setFound(null);
    setFound({ of: now, by: suggestedBy(await askNow(operation)) });
  });
  const by = found?.of === now ? found.by : null;
  return (
    <div class="check-details">
      <div class="buttons row">
        <AskButton isReady={operation !== null && !busy} onAsk={run}>
          {busy ? 'Requesting …' : 'Suggest a check'}
        </AskButton>
        {by?.check && (
          <button type="button" onClick={() => by.check && onAccept(by.check)}>
            Use this check
          </button>
        )}
      </div>
      <p class="small" role="status">
        {error !== null && <span class="field-error">{wordsOf(error)}</span>}
        {error === null && by?.words}
        {error === null && !by && <span class="muted">Asks it once, and publishes nothing.</span>}
      </p>
    </div>
  );
}

type Tried = NonNullable<Preview['tried']>[number];

/** What to offer as a check of a site that answers like this now; null: nothing that is worth keeping. */
export function suggestedBy(tried: readonly Tried[]): { check: Check | null; words: string } {
  const bad = tried.find(({ status }) => status === null || status >= 500);
  if (bad) {
    const answers = bad.status === null ? bad.detail : `GET / answers ${bad.status} now`;
    return { check: null, words: `${answers}: nothing to suggest.` };
  }
  const statuses = [...new Set(tried.flatMap(({ status }) => status ?? []))];
  const [status = 200] = statuses;
  if (statuses.length > 1) {
    return { check: null, words: `The proxies answer differently: ${statuses.join(', ')}.` };
  }
  const isUsual = status >= 200 && status <= 299;
  return {
    check: tidied({ path: '/', status: isUsual ? undefined : status }),
    words: `GET / answers ${status} now.`,
  };
}
