/** The buttons that ask the site before it is published, and what it answered. */
import { wordsOf } from '../lib/api.ts';
import type { Check } from '../lib/types.ts';
import { type Purpose, type Tried, useTrial } from './use-trial.ts';

type Props = {
  check: Check;
  operationWith: ((check: Check) => object) | null;
  onStatus: (status: number) => void;
};

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
      <div class="buttons">
        {button('try', 'Try it', 'Asking …')}
        {button('fill', 'Fill in what it answers now', 'Asking what it answers …')}
      </div>
      <div class="check-result small" role="status">
        {error !== null && <p class="field-error">{wordsOf(error)}</p>}
        {result?.tried.map((tried) => (
          <Line key={tried.agent} purpose={result.purpose} path={check.path} tried={tried} />
        ))}
        {!result && error === null && (
          <p class="muted">
            Both start a second Caddy with the site as it is in this form, and publish nothing.
          </p>
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
    : `${passed ? 'Passed' : 'Failed'}: ${detail}`;
  return (
    <p>
      <span class={`lamp${isFilled || passed ? '' : ' lamp-bad'}`} aria-hidden="true" />
      <span>
        {agent !== undefined && `${agent}: `}
        {words}
      </span>
    </p>
  );
}
