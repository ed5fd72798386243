/** The page of a site that does not exist yet. */
import { EMPTY } from './draft.ts';
import { SiteForm } from './site-form.tsx';

export function NewSite() {
  return (
    <>
      <div class="page-head">
        <h1>New site</h1>
      </div>
      <SiteForm id={null} stored={null} initial={EMPTY} />
    </>
  );
}
