/** Saves the site form, and notices when someone else has changed the site meanwhile. */
import { useState } from 'preact/hooks';
import { ApiError, request } from '../lib/api.ts';
import { type Flash, setFlash } from '../lib/flash.ts';
import { navigate } from '../lib/router.ts';
import type { ChangedVhost } from '../lib/types.ts';
import { type Submit, useSubmit } from '../lib/use-submit.ts';
import { changedFields, changesFrom, type Draft, draftOf } from './draft.ts';
import { outcomeOf } from './outcome.ts';
import { loadSite, type Stored } from './stored.ts';

/** `over` is the state that the change is made to; `replace` that of a Caddyfile from elsewhere. */
export type SiteSave = Submit<[over: Stored | null, replace?: boolean]> & {
  /** The site as someone else has changed it meanwhile. */
  theirs: Stored | null;
  forgetTheirs: () => void;
};

/**
 * @param base the site as it was loaded; null for a new one
 * @param onSaved called with the stored site, and what to say; a new site's page opens instead
 */
export function useSiteSave(
  id: number | null,
  base: Draft | null,
  draft: Draft,
  onSaved: (stored: Stored | null, outcome: Flash) => void,
): SiteSave {
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const submit = useSubmit(async (over: Stored | null, replace = false) => {
    const query = replace ? '?replace=true' : '';
    if (id === null) {
      const { body } = await request<ChangedVhost>(`/vhosts${query}`, { body: draft });
      const outcome = outcomeOf(`${body.domain} is ${body.enabled ? 'live' : 'saved'}`, body);
      setFlash(outcome);
      onSaved(null, outcome);
      navigate(`/sites/${body.id}`, { replace: true });
      return;
    }
    try {
      const { body, etag } = await request<ChangedVhost>(`/vhosts/${id}${query}`, {
        method: 'PUT',
        body: base ? changesFrom(base, draft) : draft,
        ifMatch: over?.etag,
      });
      setTheirs(null);
      onSaved({ site: body, etag }, outcomeOf(body.enabled ? 'Saved and live' : 'Saved', body));
    } catch (reason) {
      if (!(reason instanceof ApiError) || reason.code !== 'PRECONDITION_FAILED') throw reason;
      const now = await loadSite(id).catch(() => null);
      if (!now || changedFields(draftOf(now.site), draft).length > 0) {
        setTheirs(now);
        throw reason;
      }
      // It was our own change, whose answer got lost.
      const text = now.site.enabled ? 'Saved and live.' : 'Saved.';
      onSaved(now, { kind: 'success', text });
    }
  });
  return { ...submit, theirs, forgetTheirs: () => setTheirs(null) };
}
