/** The page of a site, existing or new. */
import { useState } from 'preact/hooks';
import { takeFlash } from '../lib/flash.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { EMPTY } from './draft.ts';
import { SiteForm } from './site-form.tsx';
import { loadSite } from './stored.ts';

export function SiteEdit({ id }: { id: number | null }) {
  const [flash] = useState(takeFlash);
  const stored = useLoad(`site ${id}`, (signal) =>
    id === null ? Promise.resolve(null) : loadSite(id, signal),
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
      {id === null && <SiteForm id={null} stored={null} initial={EMPTY} />}
      {id !== null && stored.data && (
        <SiteForm id={id} stored={stored.data} initial={stored.data.site} />
      )}
    </>
  );
}

/** The site's host name, as the access log has it. */
const hostOf = ({ domain }: Vhost): string =>
  domain.replace(/^https?:\/\//, '').replace(/(?<=[^:\]]|\]):\d+$/, '');
