/** What the bell opens: the open problems, and the latest that are over. */
import { get } from '../lib/api.ts';
import type { Incident } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { IncidentList } from './incident-list.tsx';

/** Of those that are over. */
const MOST = 5;

export function BellPanel({ open }: { open: readonly Incident[] }) {
  // Again as soon as one is over, or there is another.
  const key = open.map(({ id }) => id).join();
  const latest = useLoad(key, (signal) => get<Incident[]>('/incidents', signal));
  const over = latest.data?.filter(({ overAt }) => overAt !== null).slice(0, MOST);
  return (
    <>
      <div class="card-head row">
        <h2>Open problems</h2>
        <small>
          <a href="/notifications">All notifications</a>
        </small>
      </div>
      {open.length === 0 ? <p class="muted">None.</p> : <IncidentList incidents={open} />}
      <h2>Over</h2>
      {latest.error && <Notice kind="error">{latest.error}</Notice>}
      {!over && !latest.error && <SkeletonRows rows={2} label="Loading" />}
      {over?.length === 0 && <p class="muted">None yet.</p>}
      {over && over.length > 0 && <IncidentList incidents={over} />}
    </>
  );
}
