/** The policies, tags and proxies of a site, and what keeps it. */
import { hueStyle } from '../lib/hue.ts';
import type { Vhost } from '../lib/types.ts';
import { Icon } from '../parts/icon.tsx';
import { SourceMark } from '../parts/kept-by.tsx';

export const SiteLabels = ({ site: { policies, tags, agents, source } }: { site: Vhost }) => (
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
    {source !== null && <SourceMark source={source} />}
  </>
);

/** Leads to the sites that have it. */
export const TagChip = ({ tag }: { tag: string }) => (
  <a class="tag-chip hued cut" style={hueStyle(tag)} href={`/sites?tag=${encodeURIComponent(tag)}`}>
    {tag}
  </a>
);

/** A long name may be broken after a dot, not in a word. */
export const withBreaks = (name: string) =>
  name.split(/(?<=\.)/).flatMap((part, at) => (at > 0 ? [<wbr key={at} />, part] : [part]));
