/** What to do about a site that fails: in words, and as a change that is shown with a button to publish it. */
import type { ProblemCure } from '../../../web/feature.ts';
import { send } from '../../../web/lib/api.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useVerdict } from '../../../web/lib/use-verdict.ts';
import { RefusedNotice, WithCode } from '../../../web/parts/notice.tsx';
import { PreviewPanel } from '../../../web/sites/form/preview-panel.tsx';

export const Cure: ProblemCure = ({ cure: { words, operation }, canPublish, onPublished }) => {
  const change = canPublish ? operation : null;
  const verdict = useVerdict(change);
  const publish = useSubmit(async () => {
    await send('POST', '/vhosts/bulk', { operations: [change] });
    await onPublished();
  });
  return (
    <div class="stack">
      <p>
        <strong>What to do:</strong> <WithCode text={words} />
      </p>
      {change && (
        <>
          <PreviewPanel verdict={verdict} />
          {publish.error !== null && <RefusedNotice error={publish.error} />}
          <p>
            <button
              type="button"
              class="primary"
              aria-disabled={publish.busy || verdict.state !== 'valid'}
              onClick={() => verdict.state === 'valid' && void publish.run()}
            >
              {publish.busy ? 'Publishing …' : 'Publish it'}
            </button>
          </p>
        </>
      )}
    </div>
  );
};
