/** In the details of a request in the log: the way to what was live when it came. */
import type { EntryLink } from '../../../web/feature.ts';
import { get } from '../../../web/lib/api.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { siteOf } from '../../../web/placement/block.ts';

export const MomentLink: EntryLink = ({ at, host, onClose }) => {
  const sites = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  const site = siteOf(host, sites.data ?? []);
  if (!site) return null;
  return (
    <p class="above">
      <a href={`/sites/${site.id}?at=${encodeURIComponent(at)}`} onClick={onClose}>
        The configuration that answered this
      </a>
    </p>
  );
};
