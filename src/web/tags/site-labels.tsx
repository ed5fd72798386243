/** The policies, tags and proxies of a site. */
import type { Vhost } from '../lib/types.ts';
import { Icon } from '../parts/icon.tsx';
import { TagChip } from './tag-chip.tsx';

/** Whether there is anything to show. */
export const hasLabels = ({ policies, tags, agents }: Vhost): boolean =>
  policies.length + tags.length + agents.length > 0;

export const SiteLabels = ({ site: { policies, tags, agents } }: { site: Vhost }) => (
  <>
    {policies.map((name) => (
      <a
        key={name}
        class="policy-mark cut"
        href={`/sites?policy=${name}`}
        title={`Policy ${name}: show its sites`}
      >
        <Icon name="policies" />
        {name}
      </a>
    ))}
    {tags.map((tag) => (
      <TagChip key={tag} tag={tag} />
    ))}
    {agents.map((name) => (
      <a
        key={name}
        class="proxy-mark cut"
        href={`/sites?agent=${name}`}
        title={`Served on ${agents.join(', ')}: show the sites of ${name}`}
      >
        <Icon name="proxies" />
        {name}
      </a>
    ))}
  </>
);
