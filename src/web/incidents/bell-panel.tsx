/** What the bell opens: the problems, as the status bar has them, and the latest incidents that are over. */
import { get } from '../lib/api.ts';
import type { Incident, Status } from '../lib/types.ts';
import { useMedia } from '../lib/use-browser.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts } from '../status/facts.tsx';
import { ProblemList } from '../status/problem-list.tsx';
import { IncidentList } from './incident-list.tsx';

/** As often as the status. */
const EVERY_MS = 5_000;

/** Of the style sheet: there is no status bar. */
const NARROW = '(max-width: 800px)';

/** Of those that are over. */
const MOST = 5;

export function BellPanel({ status }: { status: Status }) {
  const { problems } = status;
  const isNarrow = useMedia(NARROW);
  const latest = useLoad('incidents', (signal) => get<Incident[]>('/incidents', signal));
  useEvery(EVERY_MS, latest.reload);
  const over = latest.data?.filter(({ overAt }) => overAt !== null).slice(0, MOST);
  return (
    <>
      <div class="card-head row between">
        <h2>Open problems</h2>
        <small>
          <a href="/notifications">All notifications</a>
        </small>
      </div>
      {problems.length === 0 ? <p class="muted">None.</p> : <ProblemList status={status} />}
      <h2>Over</h2>
      {latest.error && <Notice kind="error">{latest.error}</Notice>}
      {!over && !latest.error && <SkeletonRows rows={2} label="Loading" />}
      {over?.length === 0 && <p class="muted">None yet.</p>}
      {over && over.length > 0 && <IncidentList incidents={over} />}
      {isNarrow && (
        <>
          <h2>Hub and proxy</h2>
          <Facts status={status} />
        </>
      )}
    </>
  );
}
