/** Asks how a site would answer as it is in the form, before anybody else sees it, and shows the answer. */
import { useState } from 'preact/hooks';
import { request, wordsOf } from '../../lib/api.ts';
import { tidied } from '../../lib/check.ts';
import type { Check, Preview } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';

type Props = {
  check: Check;
  /** The change of the form, with that check; null while it is not complete. */
  operationWith: ((check: Check) => object) | null;
  /** Called with what came, to fill it in. */
  onStatus: (status: number) => void;
};

/** The buttons that ask the site before it is published, and what it answered while the form was as it is now. */
export function TrialRow({ check, operationWith, onStatus }: Props) {
  const operationOf = (of: Check) => operationWith?.(of) ?? null;
  const stateOf = (of: Check) => JSON.stringify(operationOf(of));
  const [asked, setAsked] = useState<Asked>({ purpose: 'try', of: '', tried: [] });
  const { busy, error, run } = useSubmit(async (purpose: Purpose) => {
    setAsked({ purpose, of: stateOf(check), tried: [] });
    const { path, within } = check;
    const tried = await askNow(operationOf(purpose === 'try' ? check : tidied({ path, within })));
    const found = tried.find(({ status }) => status !== null)?.status ?? undefined;
    const isFilled = purpose === 'fill' && found !== undefined;
    const of = stateOf(isFilled ? tidied({ ...check, status: found }) : check);
    setAsked({ purpose, of, tried });
    if (isFilled) onStatus(found);
  });
  const isReady = operationWith !== null && !busy;
  const isCurrent = asked.of === stateOf(check);
  const tried = isCurrent ? asked.tried : [];
  const fault = isCurrent ? error : null;
  const button = (purpose: Purpose, label: string, busyLabel: string) => (
    <button
      type="button"
      aria-disabled={!isReady}
      onClick={({ currentTarget: { form } }) => isReady && form?.reportValidity() && run(purpose)}
    >
      {busy && asked.purpose === purpose ? busyLabel : label}
    </button>
  );
  return (
    <>
      <div class="buttons row">
        {button('try', 'Try it', 'Trying …')}
        {button('fill', 'Use current response', 'Requesting …')}
      </div>
      <div class="check-result above small" role="status">
        {fault !== null && <p class="field-error">{wordsOf(fault)}</p>}
        {tried.map((one) => (
          <Line key={one.agent} purpose={asked.purpose} path={check.path} tried={one} />
        ))}
        {tried.length === 0 && fault === null && (
          <p class="muted">Both test this form in a separate Caddy, and publish nothing.</p>
        )}
      </div>
    </>
  );
}

/** `fill` asks what comes now, and `try` whether the check passes. */
type Purpose = 'fill' | 'try';

/** The last question, the change that it was about, and what came; nothing while it is under way. */
type Asked = { purpose: Purpose; of: string; tried: readonly Tried[] };

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

/** How a site would answer now, through each proxy. @throws ApiError; Error if Caddy would refuse it, or is not asked */
async function askNow(operation: object | null): Promise<readonly Tried[]> {
  const { body } = await request<Preview>('/preview?try=true', { body: operation });
  if (!body.valid) throw new Error('Caddy does not accept this yet: see the preview.');
  if (!body.tried?.length) throw new Error('A site that is not served cannot be tried.');
  return body.tried;
}
