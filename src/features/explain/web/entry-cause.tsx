/** What the cause of a failed request means, in its details in the log, with the way to an explanation. */
import type { CauseNote } from '../../../web/feature.ts';
import { get } from '../../../web/lib/api.ts';
import { useCan } from '../../../web/lib/roles.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { siteOf } from '../../../web/placement/block.ts';
import { wordsOfCause } from '../words.ts';

export const EntryCause: CauseNote = ({ cause, host }) => {
  const canEdit = useCan('editor');
  const sites = useLoad('sites', async (signal) =>
    canEdit ? await get<Vhost[]>('/vhosts', signal) : [],
  );
  const words = wordsOfCause(cause);
  if (!words) return null;
  const site = siteOf(host, sites.data ?? []);
  return (
    <div class="notice notice-warning">
      <strong>{words.title}</strong>
      <p>{words.advice}</p>
      {site && (
        <p>
          <a href={`/sites/${site.id}#explain`}>Does it work?</a>
        </p>
      )}
    </div>
  );
};
