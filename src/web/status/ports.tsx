/** Where Caddy listens and, if that is not on 80 and 443, why, what helps, and a button to move it. */
import { request, wordsOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Status } from '../lib/types.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Notice } from '../parts/notice.tsx';

type Serving = NonNullable<Status['serving']>;

/** Whether Caddy is on other ports than 80 and 443. */
const isElsewhere = ({ http, https }: Serving): boolean =>
  http.port !== http.wanted || https.port !== https.wanted;

/** Shown in the status details. */
export function Ports({ serving }: { serving: Serving }) {
  const { refresh } = useHub();
  const { busy, error, run } = useSubmit(async () => {
    await request('/ports/standard', { method: 'POST' });
    refresh();
  });
  const { http, https, cure } = serving;
  const reasons = [...new Set([http.reason, https.reason])].filter((reason) => reason !== null);
  return (
    <>
      {http.port} and {https.port}
      {reasons.length > 0 && ` (${reasons.join('; ')})`}
      {/* The button does what signalbox's own command would. */}
      {cure !== null && !cure.startsWith('signalbox ') && (
        <>
          . To fix it: <code>{cure}</code>
        </>
      )}
      {isElsewhere(serving) && (
        <>
          {' '}
          <button type="button" class="link" disabled={busy} onClick={() => void run()}>
            Move to {http.wanted} and {https.wanted}
          </button>
        </>
      )}
      {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
    </>
  );
}
