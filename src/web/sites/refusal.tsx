/** Why a change was not made, and where to go from there. */
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = { error: unknown; onReplace: () => Promise<void> };

export function Refusal({ error, onReplace }: Props) {
  const [asking, setAsking] = useState(false);
  const known = error instanceof ApiError ? error : null;
  return (
    <>
      <Notice kind="error" title={sentenceOf(error)} detail={known?.detail}>
        {known?.code === 'IMPORT_FIRST' ? (
          <p>
            <a href="/import">Import them</a>, or{' '}
            <button type="button" class="link" onClick={() => setAsking(true)}>
              replace them
            </button>
            .
          </p>
        ) : (
          known?.line && <p>Line {known.line} of the config is marked.</p>
        )}
      </Notice>
      {asking && (
        <Confirm
          title="Replace what Caddy serves?"
          action="Replace it"
          onConfirm={async () => {
            setAsking(false);
            await onReplace();
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            The sites that Caddy serves now are taken out of service. The old file is kept beside
            the new one, as Caddyfile.before-signalbox.
          </p>
        </Confirm>
      )}
    </>
  );
}
