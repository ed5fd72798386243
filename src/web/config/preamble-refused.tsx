/** Why the preamble was not taken, and the way on where there is one. */
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = {
  error: unknown;
  /** Saves in spite of sites that somebody else wrote. */
  onReplace: () => Promise<void>;
};

export function PreambleRefused({ error, onReplace }: Props) {
  const [asking, setAsking] = useState(false);
  const refusal = error instanceof ApiError ? error : null;
  if (refusal?.code !== 'IMPORT_FIRST') {
    return (
      <Notice kind="error" title={sentenceOf(error)} detail={refusal?.detail}>
        Nothing was changed; your text is still here.
      </Notice>
    );
  }
  return (
    <>
      <Notice kind="warning" title="Caddy serves sites that signalbox did not write">
        Saving would replace them. <a href="/import">Import them first</a>, or{' '}
        <button type="button" class="link" onClick={() => setAsking(true)}>
          replace them anyway
        </button>
        .
      </Notice>
      {asking && (
        <Confirm
          title="Replace what Caddy serves?"
          action="Replace it"
          onConfirm={async () => {
            await onReplace();
            setAsking(false);
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            All sites that Caddy serves from its present Caddyfile stop. The old file is kept as a
            copy beside the new one.
          </p>
        </Confirm>
      )}
    </>
  );
}
