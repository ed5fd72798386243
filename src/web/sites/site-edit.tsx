/** The page of a site, existing or new. */
import { useState } from 'preact/hooks';
import { takeFlash } from '../lib/flash.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { draftOf, EMPTY } from './draft.ts';
import { SiteForm } from './site-form.tsx';
import { loadSite } from './stored.ts';

/** @param from the site that a new one starts as a copy of */
export function SiteEdit({ id, from = null }: { id: number | null; from?: number | null }) {
  const [flash] = useState(takeFlash);
  const stored = useLoad(`site ${id}`, (signal) =>
    id === null ? Promise.resolve(null) : loadSite(id, signal),
  );
  const pattern = useLoad(`pattern ${from}`, async (signal) =>
    from === null ? EMPTY : { ...draftOf((await loadSite(from, signal)).site), domain: '' },
  );
  return (
    <>
      <div class="page-head">
        <h1>{id === null ? 'New site' : (stored.data?.site.domain ?? 'Site')}</h1>
        {stored.data && (
          <a class="button" href={`/logs?domain=${encodeURIComponent(hostOf(stored.data.site))}`}>
            Logs
          </a>
        )}
        {stored.data && (
          <a
            class="button"
            href={`/changelog?domain=${encodeURIComponent(stored.data.site.domain)}`}
          >
            History
          </a>
        )}
      </div>
      {flash && <Notice kind="success">{flash}</Notice>}
      {stored.error && <Notice kind="error" title={stored.error} />}
      {pattern.error && <Notice kind="error" title={pattern.error} />}
      {id === null && pattern.data && <SiteForm id={null} stored={null} initial={pattern.data} />}
      {id !== null && stored.data && (
        <SiteForm id={id} stored={stored.data} initial={stored.data.site} />
      )}
    </>
  );
}

/** The site's host name, as the access log has it. */
const hostOf = ({ domain }: Vhost): string =>
  domain.replace(/^https?:\/\//, '').replace(/(?<=[^:\]]|\]):\d+$/, '');
