/** The policies, tags and proxies of a site, and what keeps it. */
import { hueStyle } from '../lib/hue.ts';
import type { Vhost } from '../lib/types.ts';
import { Icon } from '../parts/icon.tsx';
import { SourceMark } from '../parts/kept-by.tsx';

export const SiteLabels = ({ site: { policies, tags, agents, source } }: { site: Vhost }) => (
  <>
    {policies.map((name) => (
      <Mark key={name} of="policy" name={name} title={`Policy ${name}: show its sites`} />
    ))}
    {tags.map((tag) => (
      <TagChip key={tag} tag={tag} />
    ))}
    {agents.map((name) => (
      <Mark
        key={name}
        of="proxy"
        name={name}
        title={`Served on ${agents.join(', ')}: show the sites of ${name}`}
      />
    ))}
    {source !== null && <SourceMark source={source} />}
  </>
);

/** How the filter of the list calls them, and how they look. */
const MARKS = {
  policy: { filter: 'policy', icon: 'policies', look: 'policy-mark cut' },
  proxy: { filter: 'agent', icon: 'proxies', look: 'proxy-mark cut' },
} as const;

type MarkProps = { of: keyof typeof MARKS; name: string; title: string };

function Mark({ of, name, title }: MarkProps) {
  const { filter, icon, look } = MARKS[of];
  return (
    <a class={look} href={`/sites?${filter}=${name}`} title={title}>
      <Icon name={icon} />
      {name}
    </a>
  );
}

/** Leads to the sites that have it. */
export const TagChip = ({ tag }: { tag: string }) => (
  <a class="tag-chip hued cut" style={hueStyle(tag)} href={`/sites?tag=${encodeURIComponent(tag)}`}>
    {tag}
  </a>
);

/** A long name may be broken after a dot, not in a word. */
export const withBreaks = (name: string) =>
  name.split(/(?<=\.)/).flatMap((part, at) => (at > 0 ? [<wbr key={at} />, part] : [part]));
