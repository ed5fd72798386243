/** What the bell opens: the problems, the latest incidents that are over, and how hub and proxy are. */
import type { Incident, Status } from '../lib/types.ts';
import { useEvery, useGet } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts } from '../status/facts.tsx';
import { ProblemList } from '../status/problem-list.tsx';
import { headlineOf } from '../status/problems.ts';
import { IncidentList } from './incident-list.tsx';

/** As often as the status. */
const EVERY_MS = 5_000;

/** Of those that are over. */
const MOST = 5;

export function BellPanel({ status }: { status: Status }) {
  const latest = useGet<Incident[]>('/incidents');
  useEvery(EVERY_MS, latest.reload);
  const over = latest.data?.filter(({ overAt }) => overAt !== null).slice(0, MOST);
  return (
    <>
      <div class="card-head row between">
        <h2>{headlineOf(status)}</h2>
        <small>
          <a href="/notifications">All notifications</a>
        </small>
      </div>
      <ProblemList status={status} />
      <h2>Over</h2>
      {latest.error && <Notice kind="error">{latest.error}</Notice>}
      {!over && !latest.error && <SkeletonRows rows={2} label="Loading" />}
      {over?.length === 0 && <p class="muted">None yet.</p>}
      {over && over.length > 0 && <IncidentList incidents={over} />}
      <h2>Hub and proxy</h2>
      <Facts status={status} />
    </>
  );
}
