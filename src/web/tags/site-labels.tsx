/** The policies and tags of a site in the list. */
import type { Vhost } from '../lib/types.ts';
import { Icon } from '../parts/icon.tsx';
import { TagChip } from './tag-chip.tsx';

/** Whether there is anything to show. */
export const hasLabels = ({ policies, tags }: Vhost): boolean => policies.length + tags.length > 0;

export const SiteLabels = ({ site: { policies, tags } }: { site: Vhost }) => (
  <>
    {policies.map((name) => (
      <a
        key={name}
        class="policy-mark"
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
  </>
);
