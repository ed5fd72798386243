/** Asks how a site would answer as it is in the form, before anybody else sees it, and shows the answer. */

import { useState } from 'preact/hooks';
import { request, wordsOf } from '../../lib/api.ts';
import { tidied } from '../../lib/check.ts';
import type { Check, Preview } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';

type Props = {
  check: Check;
  operationWith: ((check: Check) => object) | null;
  onStatus: (status: number) => void;
};

/** The buttons that ask the site before it is published, and what it answered. */
export function TrialRow({ check, operationWith, onStatus }: Props) {
  const isReady = operationWith !== null;
  const { busy, result, error, run } = useTrial(check, operationWith ?? NOTHING, onStatus);
  const button = (purpose: Purpose, label: string, busyLabel: string) => (
    <button
      type="button"
      aria-disabled={!isReady || busy !== null}
      onClick={({ currentTarget: { form } }) => isReady && form?.reportValidity() && run(purpose)}
    >
      {busy === purpose ? busyLabel : label}
    </button>
  );
  return (
    <>
      <div class="buttons row">
        {button('try', 'Try it', 'Trying …')}
        {button('fill', 'Use current response', 'Requesting …')}
      </div>
      <div class="check-result above small" role="status">
        {error !== null && <p class="field-error">{wordsOf(error)}</p>}
        {result?.tried.map((tried) => (
          <Line key={tried.agent} purpose={result.purpose} path={check.path} tried={tried} />
        ))}
        {!result && error === null && (
          <p class="muted">Both test this form in a separate Caddy, and publish nothing.</p>
        )}
      </div>
    </>
  );
}

const NOTHING = () => ({});

type LineProps = { purpose: Purpose; path: string; tried: Tried };

function Line({ purpose, path, tried: { agent, passed, status, detail } }: LineProps) {
  const isFilled = purpose === 'fill' && status !== null;
  const words = isFilled
    ? `GET ${path.replace(/\?.*/, '')} answers ${status} now.`
    : `${verdictOf(passed)}: ${detail}`;
  return (
    <p class="line baseline">
      <span class={`lamp${isFilled || passed !== false ? '' : ' lamp-bad'}`} aria-hidden="true" />
      <span>
        {agent !== undefined && `${agent}: `}
        {words}
      </span>
    </p>
  );
}

/** @param passed null: nobody has said how it should answer */
function verdictOf(passed: Tried['passed']): string {
  if (passed === null) return 'Answered';
  return passed ? 'Passed' : 'Failed';
}

/** What the site answered through one proxy. */
type Tried = NonNullable<Preview['tried']>[number];

/** `fill` asks what comes now, and `try` whether the check passes. */
type Purpose = 'fill' | 'try';

type Trial = {
  /** What for a request is under way; null if none is. */
  busy: Purpose | null;
  /** What came, unless the form has changed since. */
  result: { purpose: Purpose; tried: readonly Tried[] } | null;
  /** Why nothing came, unless the form has changed since. */
  error: unknown;
  run: (purpose: Purpose) => Promise<void>;
};

/**
 * @param operationWith the change of the form, with that check
 * @param onStatus called with what came, to fill it in
 */
function useTrial(
  check: Check,
  operationWith: (check: Check) => object,
  onStatus: (status: number) => void,
): Trial {
  const [purpose, setPurpose] = useState<Purpose>('try');
  const [tried, setTried] = useState<{ of: string; by: readonly Tried[] } | null>(null);
  const now = JSON.stringify(operationWith(check));
  const [last, setLast] = useState(now);
  const { busy, error, run } = useSubmit(async (why: Purpose) => {
    setPurpose(why);
    setLast(now);
    setTried(null);
    const { path, within } = check;
    const asked = why === 'try' ? check : { path, ...(within !== undefined && { within }) };
    const body = await askNow(operationWith(asked));
    const status = why === 'fill' ? body.find((one) => one.status !== null)?.status : undefined;
    const next = typeof status === 'number' ? tidied({ ...check, status }) : check;
    setTried({ of: JSON.stringify(operationWith(next)), by: body });
    if (typeof status === 'number') onStatus(status);
  });
  return {
    busy: busy ? purpose : null,
    result: tried?.of === now ? { purpose, tried: tried.by } : null,
    error: last === now ? error : null,
    run,
  };
}

/** How a site would answer now, through each proxy. @throws ApiError; Error if Caddy would refuse it, or is not asked */
export async function askNow(operation: object): Promise<readonly Tried[]> {
  const { body } = await request<Preview>('/preview?try=true', {
    body: operation,
  });
  if (!body.valid) throw new Error('Caddy does not accept this yet: see the preview.');
  if (!body.tried?.length) throw new Error('A site that is not served cannot be tried.');
  return body.tried;
}
