/** The certificates page: every name that is served over HTTPS, and how its certificate is. */
import { useEffect } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { navigate } from '../lib/router.ts';
import type { Certificate } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { CertificateTable } from './certificate-table.tsx';
import { addressOf, readView, shownRows, type View } from './rows.ts';
import { TrustGuide } from './trust-guide.tsx';

/** Certificates arrive within seconds, and errors within minutes. */
const EVERY_MS = 15_000;

const SHOWN: readonly [View['shown'], string][] = [
  ['all', 'All'],
  ['problems', 'Problems'],
];

export function CertificatesPage({ query }: { query: URLSearchParams }) {
  const { status } = useHub();
  const { data, error, reload } = useLoad(`certificates ${status?.lastPublish?.at}`, (signal) =>
    get<Certificate[]>('/certificates', signal),
  );
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const view = readView(query);
  const change = (next: View) => navigate(addressOf(next), { replace: true });
  const rows = shownRows(data ?? [], view);
  const counts = { all: data?.length, problems: data?.filter(({ problem }) => problem).length };

  return (
    <>
      <div class="page-head">
        <h1>Certificates</h1>
        <fieldset class="segments">
          <legend class="visually-hidden">Show certificates</legend>
          {SHOWN.map(([name, label]) => (
            <label key={name}>
              <input
                type="radio"
                name="shown"
                checked={view.shown === name}
                onChange={() => change({ ...view, shown: name })}
              />
              <span>
                {label} {counts[name] ?? ''}
              </span>
            </label>
          ))}
        </fieldset>
      </div>
      {error && <Notice kind="error" title={error} />}
      {!data && !error && <SkeletonRows rows={6} label="Loading certificates" />}
      {data && (
        <p class="visually-hidden" role="status">
          {plural(rows.length, 'certificate')}
        </p>
      )}
      {data && rows.length === 0 && (
        <p class="empty">
          {data.length > 0
            ? 'Every name has a valid certificate.'
            : 'No site is served over HTTPS yet. Certificates appear here as soon as one is.'}
        </p>
      )}
      {rows.length > 0 && <CertificateTable rows={rows} view={view} onView={change} />}
      <TrustGuide isUsed={data?.some(({ authority }) => authority === 'internal') ?? false} />
    </>
  );
}
