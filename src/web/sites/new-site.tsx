/** The page of a site that does not exist yet. */
import { get } from '../lib/api.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { draftOf, EMPTY } from './draft.ts';
import { SiteForm } from './site-form-lazy.ts';

/** @param from the site that it starts as a copy of */
export function NewSite({ from }: { from: number | null }) {
  const pattern = useLoad(`pattern ${from}`, async (signal) =>
    from === null ? EMPTY : { ...draftOf(await get<Vhost>(`/vhosts/${from}`, signal)), domain: '' },
  );
  return (
    <>
      <div class="page-head">
        <h1>New site</h1>
      </div>
      {pattern.error && <Notice kind="error" title={pattern.error} />}
      {pattern.data && <SiteForm id={null} stored={null} initial={pattern.data} />}
    </>
  );
}
