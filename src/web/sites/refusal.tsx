/** Explains why a change was refused, and offers what can be done about it. */
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import type { Policy } from '../lib/types.ts';
import { Notice } from '../parts/notice.tsx';
import { ConfirmReplace } from '../parts/replace-foreign.tsx';
import { PolicyFault } from './policy-fault.tsx';

type Props = {
  error: unknown;
  /** For a link to the one at fault. */
  policies: readonly Policy[];
  onReplace: () => Promise<void>;
};

export function Refusal({ error, policies, onReplace }: Props) {
  const [asking, setAsking] = useState(false);
  const known = error instanceof ApiError ? error : null;
  const fault = known?.policy;
  return (
    <>
      <Notice kind="error" title={sentenceOf(error)} detail={known?.detail} hint={known?.hint}>
        {known?.code === 'IMPORT_FIRST' ? (
          <p>
            <a href="/import">Import them</a>, or{' '}
            <button type="button" class="link" onClick={() => setAsking(true)}>
              replace them
            </button>
            .
          </p>
        ) : fault ? (
          <PolicyFault fault={fault} policies={policies} />
        ) : (
          known?.line && <p>See line {known.line} of the config.</p>
        )}
      </Notice>
      {asking && <ConfirmReplace onReplace={onReplace} onClose={() => setAsking(false)} />}
    </>
  );
}
