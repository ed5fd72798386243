/** What the form of a site edits: how it is loaded, previewed and saved. */
import { type Answer, get, read, request } from '../../lib/api.ts';
import { navigate, setFlash } from '../../lib/router.ts';
import type { ChangedVhost, Vhost } from '../../lib/types.ts';
import type { Subject } from '../../lib/use-editor.ts';
import { correctName } from './corrections.ts';
import {
  changedFields,
  changesFrom,
  type Draft,
  draftOf,
  isComplete,
  isLive,
  mergedDraft,
  operationOf,
  outcomeOf,
  sentOf,
} from './draft.ts';

export type Stored = Answer<Vhost>;

/** What was sent to create a site, and the key by which the hub creates it once. */
export type Sending = { text: string; key: string };

/**
 * @param id null for a new site, whose page opens once it is stored
 * @param said what was corrected, which that page says
 * @param sending what a new site was last sent as
 */
export const siteOf = (
  id: number | null,
  said: { current: string },
  sending: { current: Sending },
): Omit<Subject<Stored, Draft>, 'stored' | 'empty'> => ({
  draftOf: ({ body }) => draftOf(body),
  isSame: (a, b) => changedFields(a, b).length === 0,
  operation: (draft, base) =>
    isComplete(draft) && (!base || changedFields(base, draft).length > 0)
      ? operationOf(id, base, draft)
      : null,
  async save(draft, over, { replace }) {
    const query = replace ? '?replace=true' : '';
    if (over === null) {
      const sent = sentOf(draft);
      const text = JSON.stringify([sent, query]);
      if (sending.current.text !== text) {
        // A browser has random UUIDs only on pages with HTTPS.
        sending.current = { text, key: `${Date.now()}-${Math.random()}` };
      }
      const { key } = sending.current;
      const { body } = await request<ChangedVhost>(`/vhosts${query}`, { body: sent, key });
      return opened(body, said.current);
    }
    const stored = await request<ChangedVhost>(`/vhosts/${id}${query}`, {
      method: 'PUT',
      body: changesFrom(draftOf(over.body), draft),
      ifMatch: over.etag,
    });
    return { stored, outcome: outcomeOf(doneWords(stored.body), stored.body) };
  },
  load: () => read<Vhost>(`/vhosts/${id}`),
  async find(draft) {
    const domain = correctName(draft.domain)?.kept ?? draft.domain;
    const made = (await get<Vhost[]>('/vhosts')).find((one) => one.domain === domain);
    const isIt = made && changedFields(draftOf(made), { ...draft, domain }).length === 0;
    return isIt ? opened(made, said.current) : null;
  },
  wordsOf: ({ body }) => `${doneWords(body)}.`,
  merge: mergedDraft,
});

/** Opens the page of a site that was created. */
function opened(made: Vhost & Partial<Pick<ChangedVhost, 'warnings' | 'behind'>>, said: string) {
  const words = `${made.domain} is ${isLive(made) ? 'live' : 'saved'}`;
  const outcome = outcomeOf(words, { warnings: [], ...made });
  setFlash({ ...outcome, text: outcome.text + said });
  navigate(`/sites/${made.id}`, { replace: true });
  return { stored: null, outcome };
}

const doneWords = (vhost: Vhost | ChangedVhost) => (isLive(vhost) ? 'Saved and live' : 'Saved');
